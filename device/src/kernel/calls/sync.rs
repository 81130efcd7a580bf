//! Calls for sync objects (`drm.h`).

use super::{get, put};
use crate::kernel::fence::Fence;
use crate::kernel::sync::{SyncObject, Waiting, wait};
use crate::kernel::{Answer, Errno, Kernel, User, element};

/// Maximum number of sync objects in a call.
const MAX_SYNCS: u64 = 1 << 16;

/// Flags of waits.
const ALL: u64 = 1;
const FOR_SUBMIT: u64 = 2;
const AVAILABLE: u64 = 4;
/// Deadlines for drivers of displays, which have no effect here.
const DEADLINE: u64 = 8;
/// Flag of a query for the last point that was added.
const LAST_SUBMITTED: u64 = 1;

pub(super) fn create(kernel: &mut Kernel, argument: &mut [u8], _: &mut dyn User) -> Result<Answer, Errno> {
    let flags = get(argument, 4, 4);
    if flags > 1 {
        return Err(Errno::INVALID);
    }
    let object = match flags {
        0 => SyncObject::default(),
        _ => SyncObject::signalled(&kernel.order.host),
    };
    let handle = kernel.tables.syncs.insert(object);
    put(argument, 0, 4, handle.into());
    Ok(Answer::Done)
}

pub(super) fn destroy(kernel: &mut Kernel, argument: &mut [u8], _: &mut dyn User) -> Result<Answer, Errno> {
    if get(argument, 4, 4) != 0 {
        return Err(Errno::INVALID);
    }
    // The framework has this error for unknown objects.
    kernel.tables.syncs.remove(get(argument, 0, 4) as u32).map_err(|_| Errno::INVALID)?;
    Ok(Answer::Done)
}

/// Handles at `pointer` and, unless `points` is 0, points of their timelines.
fn handles(user: &mut dyn User, pointer: u64, points: u64, count: u64) -> Result<Vec<(u32, u64)>, Errno> {
    if count > MAX_SYNCS {
        return Err(Errno::INVALID);
    }
    (0..count)
        .map(|at| {
            let (mut handle, mut point) = ([0; 4], [0; 8]);
            user.read(element(pointer, at, 4), &mut handle)?;
            if points != 0 {
                user.read(element(points, at, 8), &mut point)?;
            }
            Ok((u32::from_le_bytes(handle), u64::from_le_bytes(point)))
        })
        .collect()
}

/// Waits; the last argument has the offsets of timeout, count, flags and the first signalled object in the structure.
fn wait_for(
    kernel: &mut Kernel,
    argument: &mut [u8],
    user: &mut dyn User,
    (points, allowed): (u64, u64),
    [timeout, count, flags, signalled]: [u32; 4],
) -> Result<Answer, Errno> {
    let flags = get(argument, flags, 4);
    if flags & !allowed != 0 {
        return Err(Errno::INVALID);
    }
    let handles = handles(user, get(argument, 0, 8), points, get(argument, count, 4))?;
    let objects: Vec<_> = handles
        .iter()
        .map(|(handle, point)| Ok((kernel.tables.syncs.get(*handle)?, *point)))
        .collect::<Result<_, Errno>>()?;
    let waiting = Waiting {
        all: flags & ALL != 0,
        for_submit: flags & FOR_SUBMIT != 0,
        available: flags & AVAILABLE != 0,
        deadline: get(argument, timeout, 8) as i64,
        now: (kernel.clock)(),
    };
    match wait(&objects, waiting)? {
        Ok(first) => {
            let reached = objects.iter().filter(|(object, point)| object.reached(*point));
            reached.for_each(|(object, point)| object.join_clock(*point, &mut kernel.order.host));
            kernel.order.prune();
            put(argument, signalled, 4, first.into());
            Ok(Answer::Done)
        }
        Err(answer) => Ok(answer),
    }
}

pub(super) fn wait_binary(
    kernel: &mut Kernel,
    argument: &mut [u8],
    user: &mut dyn User,
) -> Result<Answer, Errno> {
    wait_for(kernel, argument, user, (0, ALL | FOR_SUBMIT | DEADLINE), [8, 16, 20, 24])
}

pub(super) fn wait_timeline(
    kernel: &mut Kernel,
    argument: &mut [u8],
    user: &mut dyn User,
) -> Result<Answer, Errno> {
    let points = get(argument, 8, 8);
    wait_for(kernel, argument, user, (points, ALL | FOR_SUBMIT | AVAILABLE | DEADLINE), [16, 24, 28, 32])
}

pub(super) fn reset(kernel: &mut Kernel, argument: &mut [u8], user: &mut dyn User) -> Result<Answer, Errno> {
    let found = listed(argument, user, 0, [8, 12])?;
    for (handle, _) in found {
        kernel.tables.syncs.get_mut(handle)?.reset()?;
    }
    Ok(Answer::Done)
}

pub(super) fn signal(kernel: &mut Kernel, argument: &mut [u8], user: &mut dyn User) -> Result<Answer, Errno> {
    let found = listed(argument, user, 0, [8, 12])?;
    for (handle, _) in found {
        let fence = Fence::signalled(&kernel.order.host);
        kernel.tables.syncs.get_mut(handle)?.replace([fence])?;
    }
    Ok(Answer::Done)
}

pub(super) fn signal_timeline(
    kernel: &mut Kernel,
    argument: &mut [u8],
    user: &mut dyn User,
) -> Result<Answer, Errno> {
    let points = get(argument, 8, 8);
    for (handle, point) in listed(argument, user, points, [16, 20])? {
        let fence = Fence::signalled(&kernel.order.host);
        kernel.tables.syncs.get_mut(handle)?.add(point, [fence])?;
    }
    Ok(Answer::Done)
}

/// The objects of a call whose flags must be 0: their count and the flags are at these offsets. An empty list is an error.
fn listed(
    argument: &[u8],
    user: &mut dyn User,
    points: u64,
    [count, flags]: [u32; 2],
) -> Result<Vec<(u32, u64)>, Errno> {
    let count = get(argument, count, 4);
    if count == 0 || get(argument, flags, 4) != 0 {
        return Err(Errno::INVALID);
    }
    handles(user, get(argument, 0, 8), points, count)
}

pub(super) fn query(kernel: &mut Kernel, argument: &mut [u8], user: &mut dyn User) -> Result<Answer, Errno> {
    let (points, count, flags) = (get(argument, 8, 8), get(argument, 16, 4), get(argument, 20, 4));
    if count == 0 || flags & !LAST_SUBMITTED != 0 {
        return Err(Errno::INVALID);
    }
    let found = handles(user, get(argument, 0, 8), 0, count)?;
    for (at, (handle, _)) in (0..).zip(found) {
        let object = kernel.tables.syncs.get(handle)?;
        let point = object.point(flags != 0);
        // A point is visible only after the work before it is complete.
        if flags == 0 {
            object.join_clock(point, &mut kernel.order.host);
        }
        user.write(element(points, at, 8), &point.to_le_bytes())?;
    }
    Ok(Answer::Done)
}

/// Copies the fences of a point to another object, or to a point of its timeline.
pub(super) fn transfer(kernel: &mut Kernel, argument: &mut [u8], _: &mut dyn User) -> Result<Answer, Errno> {
    let [from, to] = [0, 4].map(|at| get(argument, at, 4) as u32);
    let [from_point, to_point] = [8, 16].map(|at| get(argument, at, 8));
    let flags = get(argument, 24, 4);
    if flags & !FOR_SUBMIT != 0 || get(argument, 28, 4) != 0 {
        return Err(Errno::INVALID);
    }
    kernel.tables.syncs.get(to)?;
    let fences =
        kernel.tables.syncs.get(from)?.fences(from_point).map(|fences| fences.cloned().collect::<Vec<_>>());
    let Some(fences) = fences else {
        return if flags & FOR_SUBMIT != 0 { Ok(Answer::Wait(i64::MAX)) } else { Err(Errno::INVALID) };
    };
    let to = kernel.tables.syncs.get_mut(to)?;
    match to_point {
        0 => to.replace(fences)?,
        _ => to.add(to_point, fences)?,
    }
    Ok(Answer::Done)
}
