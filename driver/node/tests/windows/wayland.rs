//! Swapchains on a compositor.

use std::sync::Arc;
use std::time::Duration;

use agx_driver::Error;
use agx_driver::host_copy::HostCopy;
use agx_driver::surface::{Surface, Wayland};
use agx_driver::swapchain::{Present, Swapchain, SwapchainInfo};
use agx_driver::transfer::Box3;
use ash::vk;
use wayland_client::Connection;
use wayland_client::globals::registry_queue_init;

use super::compositor::{Frame, Offer, REFRESH, Running, SEEN, lock, start};
use super::pixels::{ARGB, LINEAR, TILED, XRGB};
use super::{LARGE, SIZE, device, info, show, show_later, swapchain};

/// An application that has nothing but a surface.
struct Application;

impl
    wayland_client::Dispatch<
        wayland_client::protocol::wl_registry::WlRegistry,
        wayland_client::globals::GlobalListContents,
    > for Application
{
    fn event(
        _: &mut Self,
        _: &wayland_client::protocol::wl_registry::WlRegistry,
        _: wayland_client::protocol::wl_registry::Event,
        _: &wayland_client::globals::GlobalListContents,
        _: &Connection,
        _: &wayland_client::QueueHandle<Self>,
    ) {
    }
}
wayland_client::delegate_noop!(Application: wayland_client::protocol::wl_compositor::WlCompositor);
wayland_client::delegate_noop!(Application: ignore wayland_client::protocol::wl_surface::WlSurface);

impl Running {
    fn surface(&self, shares: bool) -> Arc<dyn Surface> {
        let (list, queue) = registry_queue_init::<Application>(&self.connection).expect("globals");
        let compositor: wayland_client::protocol::wl_compositor::WlCompositor =
            list.bind(&queue.handle(), 4..=4, ()).expect("a compositor");
        let surface = compositor.create_surface(&queue.handle(), ());
        let node = if shares { Some([226, 128]) } else { None };
        Arc::new(Wayland::new(self.connection.clone(), surface, node).expect("a surface"))
    }

    fn frames(&self, count: usize) -> Vec<Frame> {
        for _ in 0..5000 {
            let seen = lock(&self.seen);
            if seen.frames.len() >= count {
                return seen.frames.clone();
            }
            drop(seen);
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("the compositor gets no frame");
    }
}

/// The tests.
pub const TESTS: &[(&str, fn())] = &[
    ("frames_arrive_whole_and_in_order", frames_arrive_whole_and_in_order),
    ("every_pixel_is_where_the_modifier_says", every_pixel_is_where_the_modifier_says),
    ("formats_are_those_that_the_compositor_takes", formats_are_those_that_the_compositor_takes),
    ("fifo_shows_a_frame_after_the_other", fifo_shows_a_frame_after_the_other),
    ("modes_are_told_to_the_compositor", modes_are_told_to_the_compositor),
    ("presentations_are_awaited", presentations_are_awaited),
    ("presentations_tell_when_they_were_seen", presentations_tell_when_they_were_seen),
    ("an_image_is_free_when_the_compositor_releases_it", an_image_is_free_when_the_compositor_releases_it),
    ("points_order_frames_and_release_images", points_order_frames_and_release_images),
    ("swapchains_leave_nothing_behind", swapchains_leave_nothing_behind),
];

fn frames_arrive_whole_and_in_order() {
    let device = device();
    for (shares, modifiers, wanted) in [
        (true, &[LINEAR, TILED] as &[u64], (TILED, true)),
        (true, &[LINEAR], (LINEAR, true)),
        (false, &[TILED], (LINEAR, false)),
        (true, &[], (LINEAR, false)),
    ] {
        let running = start(Offer::new(match modifiers {
            [] => &[],
            [TILED] => &[TILED],
            [LINEAR] => &[LINEAR],
            _ => &[LINEAR, TILED],
        }));
        let surface = running.surface(shares);
        let large = SwapchainInfo { size: LARGE, ..info(vk::PresentModeKHR::MAILBOX) };
        let swapchain = Swapchain::new(&device, surface, &large).expect("a swapchain");
        let count = 40;
        for colour in 1..=count {
            show(&device, &swapchain, colour, 0).expect("shown");
        }
        let frames = running.frames(count as usize);
        for (frame, colour) in frames.iter().zip(1..) {
            assert_eq!((frame.modifier, frame.shared, frame.format), (wanted.0, wanted.1, XRGB));
            assert_eq!(frame.colour, Some(colour), "{wanted:?}");
        }
        assert_eq!((frames.len(), lock(&running.seen).reused), (count as usize, 0), "{wanted:?}");
    }
}

fn every_pixel_is_where_the_modifier_says() {
    let device = device();
    for (shares, modifiers) in [(true, &[TILED] as &'static [u64]), (true, &[LINEAR]), (false, &[LINEAR])] {
        let running = start(Offer::new(modifiers));
        lock(&running.seen).keep = true;
        let surface = running.surface(shares);
        let swapchain = swapchain(&device, &surface, vk::PresentModeKHR::FIFO);
        let acquired = swapchain.acquire(0).expect("free");
        let image = swapchain.images().nth(acquired.number as usize).expect("an image");
        let [width, height] = SIZE;
        let pixels: Vec<u32> =
            (0..height).flat_map(|y| (0..width).map(move |x| x | y << 8 | 0x55_0000)).collect();
        let bytes: Vec<u8> = pixels.iter().flat_map(|pixel| pixel.to_le_bytes()).collect();
        let place = Box3 { aspect: vk::ImageAspectFlags::COLOR, level: 0, at: [0; 3] };
        let copy = HostCopy { row: 0, rows: 0, image: place, size: [width, height, 1] };
        copy.to_image(image, &bytes).expect("bound");
        swapchain.present(acquired.number, Present::default()).expect("shown");
        assert!(running.frames(1)[0].pixels == pixels, "{modifiers:?}");
    }
}

fn formats_are_those_that_the_compositor_takes() {
    let running = start(Offer::new(&[TILED]));
    let surface = running.surface(true);
    let formats = surface.formats();
    assert_eq!(formats, [vk::Format::B8G8R8A8_UNORM, vk::Format::B8G8R8A8_SRGB]);
    let device = device();
    let transparent = SwapchainInfo { opaque: false, ..info(vk::PresentModeKHR::FIFO) };
    let swapchain = Swapchain::new(&device, surface, &transparent).expect("a swapchain");
    show(&device, &swapchain, 1, 0).expect("shown");
    assert_eq!(running.frames(1)[0].format, ARGB);
    // Another device has the buffers, so its layouts are others.
    let running = start(Offer { device: [226, 129], ..Offer::new(&[LINEAR, TILED]) });
    let surface = running.surface(true);
    let swapchain = self::swapchain(&device, &surface, vk::PresentModeKHR::FIFO);
    show(&device, &swapchain, 1, 0).expect("shown");
    assert_eq!(running.frames(1)[0].modifier, LINEAR);
}

fn fifo_shows_a_frame_after_the_other() {
    let device = device();
    let running = start(Offer { paused: true, ..Offer::new(&[TILED]) });
    let surface = running.surface(true);
    assert_eq!(surface.modes(), [vk::PresentModeKHR::FIFO, vk::PresentModeKHR::MAILBOX]);
    let swapchain = swapchain(&device, &surface, vk::PresentModeKHR::FIFO);
    let seen = running.seen.clone();
    let allow = std::thread::spawn(move || {
        for _ in 0..20 {
            std::thread::sleep(Duration::from_millis(5));
            lock(&seen).allowed += 1;
        }
    });
    for colour in 1..=10 {
        show(&device, &swapchain, colour, 0).expect("shown");
        let waiting = lock(&running.seen).most_waiting;
        assert!(waiting <= 1, "{waiting} frames wait");
    }
    allow.join().expect("it ends");
    // Frames of a mailbox do not wait: more of them than may begin.
    let running = start(Offer { paused: true, ..Offer::new(&[TILED]) });
    let surface = running.surface(true);
    let swapchain = self::swapchain(&device, &surface, vk::PresentModeKHR::MAILBOX);
    (1..=10).for_each(|colour| show(&device, &swapchain, colour, 0).expect("shown"));
    assert_eq!(running.frames(10).len(), 10);
}

fn modes_are_told_to_the_compositor() {
    let device = device();
    let running = start(Offer { fifo: true, tearing: true, paused: true, ..Offer::new(&[TILED]) });
    let surface = running.surface(true);
    let modes = [vk::PresentModeKHR::FIFO, vk::PresentModeKHR::MAILBOX, vk::PresentModeKHR::IMMEDIATE];
    assert_eq!(surface.modes(), modes);
    let swapchain = swapchain(&device, &surface, vk::PresentModeKHR::FIFO);
    for mode in modes {
        let acquired = swapchain.acquire(u64::MAX).expect("free");
        let present = Present { mode: Some(mode), ..Present::default() };
        swapchain.present(acquired.number, present).expect("shown");
    }
    let told: Vec<_> = running.frames(3).iter().map(|frame| (frame.barrier, frame.tears)).collect();
    assert_eq!(told, [(true, false), (false, false), (false, true)]);
    // A surface has several swapchains, one after the other.
    let next = self::swapchain(&device, &surface, vk::PresentModeKHR::FIFO);
    drop(swapchain);
    show(&device, &next, 5, 0).expect("shown");
    assert_eq!(running.frames(4)[3].colour, Some(5));
}

fn presentations_are_awaited() {
    let device = device();
    for presentation in [true, false] {
        let running = start(Offer { paused: true, presentation, ..Offer::new(&[TILED]) });
        let surface = running.surface(true);
        let swapchain = swapchain(&device, &surface, vk::PresentModeKHR::FIFO);
        show(&device, &swapchain, 1, 7).expect("shown");
        assert!(matches!(swapchain.wait_for(7, 20_000_000), Err(Error::Timeout)), "it has not begun");
        lock(&running.seen).allowed = 1;
        swapchain.wait_for(7, 5_000_000_000).expect("it begins");
        assert!(matches!(swapchain.wait_for(8, 0), Err(Error::Timeout)));
    }
}

fn presentations_tell_when_they_were_seen() {
    let device = device();
    let running = start(Offer { paused: true, presentation: true, ..Offer::new(&[TILED]) });
    let surface = running.surface(true);
    assert!(surface.tells_times() && !running_without_feedback());
    let swapchain = swapchain(&device, &surface, vk::PresentModeKHR::FIFO);
    let present = |id| {
        let acquired = swapchain.acquire(u64::MAX).expect("free");
        swapchain.present(acquired.number, Present { id, is_timed: true, ..Present::default() })
    };
    let acquired = swapchain.acquire(u64::MAX).expect("free");
    let full = swapchain.present(acquired.number, Present { is_timed: true, ..Present::default() });
    assert!(matches!(full, Err(Error::TimingsFull)));
    swapchain.release(acquired.number);
    assert!(swapchain.keep_timings(2) && swapchain.refresh().is_none());
    present(3).expect("shown");
    let taken = || {
        let mut all = Vec::new();
        swapchain.take_timings(true, |timing| {
            all.push((timing.id, timing.time));
            true
        });
        all
    };
    assert_eq!(taken(), [], "it has not begun");
    lock(&running.seen).allowed = 1;
    swapchain.wait_for(3, 5_000_000_000).expect("it begins");
    let [seconds, nanoseconds] = SEEN.map(u64::from);
    assert_eq!(taken(), [(3, Some(1_000_000_000 * seconds + nanoseconds))]);
    assert_eq!((taken(), swapchain.refresh()), (Vec::new(), Some(REFRESH.into())));
}

/// Whether a surface of a compositor without feedback tells times.
fn running_without_feedback() -> bool {
    start(Offer::new(&[TILED])).surface(true).tells_times()
}

fn an_image_is_free_when_the_compositor_releases_it() {
    let device = device();
    let running = start(Offer { paused: true, ..Offer::new(&[TILED]) });
    let surface = running.surface(true);
    let swapchain = swapchain(&device, &surface, vk::PresentModeKHR::MAILBOX);
    show(&device, &swapchain, 1, 0).expect("shown");
    running.frames(1);
    // Two others are free; the compositor has the first.
    let rest = [(); 2].map(|()| swapchain.acquire(0).expect("free").number);
    assert_eq!(rest, [1, 2]);
    swapchain.release(2);
    let last = swapchain.acquire(0).expect("it was given back").number;
    assert_eq!(last, 2);
    assert!(matches!(swapchain.acquire(20_000_000), Err(Error::Timeout)));
    swapchain.present(1, Present::default()).expect("shown");
    assert_eq!(swapchain.acquire(5_000_000_000).expect("released").number, 0);
}

fn points_order_frames_and_release_images() {
    let device = device();
    let running = start(Offer { points: true, ..Offer::new(&[TILED]) });
    let surface = running.surface(true);
    let large = SwapchainInfo { size: LARGE, ..info(vk::PresentModeKHR::MAILBOX) };
    let swapchain = Swapchain::new(&device, surface.clone(), &large).expect("a swapchain");
    let count = 40;
    let shown = |colour| show_later(&device, &swapchain, colour, 0).expect("shown");
    let commands: Vec<_> = (1..=count).map(shown).collect();
    let frames = running.frames(count as usize);
    drop(commands);
    let colours: Vec<_> = frames.iter().map(|frame| frame.colour).collect();
    assert_eq!(colours, (1..=count).map(Some).collect::<Vec<_>>());
    assert!(frames.iter().all(|frame| frame.shared));
    assert_eq!((frames.len(), lock(&running.seen).with_points), (count as usize, count as usize));
    assert_eq!(lock(&running.seen).reused, 0);
    // Images are free when the compositor signals their points, and not before.
    drop(swapchain);
    let swapchain = self::swapchain(&device, &surface, vk::PresentModeKHR::MAILBOX);
    lock(&running.seen).withholds = true;
    let shown = |colour| show_later(&device, &swapchain, colour, 0).expect("shown");
    let commands: Vec<_> = (1..=3).map(shown).collect();
    running.frames(count as usize + 3);
    drop(commands);
    assert!(matches!(swapchain.acquire(0), Err(Error::NotReady)));
    assert!(matches!(swapchain.acquire(20_000_000), Err(Error::Timeout)));
    lock(&running.seen).withholds = false;
    let acquired = swapchain.acquire(5_000_000_000).expect("released");
    assert_eq!(acquired.number, 0);
    swapchain.release(acquired.number);
    // Pixels that are copied have no points.
    drop(swapchain);
    let copies = running.surface(false);
    let swapchain = self::swapchain(&device, &copies, vk::PresentModeKHR::MAILBOX);
    show(&device, &swapchain, 9, 0).expect("shown");
    let last = running.frames(count as usize + 4).pop().expect("a frame");
    assert_eq!((last.shared, last.colour), (false, Some(9)));
}

/// Swapchains that are made one after the other.
const ROUNDS: usize = if cfg!(feature = "stress") { 10_000 } else { 300 };
/// What other tests in the process, and the compositor, may have open besides.
const OTHERS: usize = 60;

/// Descriptors, threads, and mappings, of which every buffer of the device has one.
fn held() -> [usize; 3] {
    let entries = |folder| std::fs::read_dir(folder).expect("a folder").count();
    let maps = std::fs::read_to_string("/proc/self/maps").expect("a file").lines().count();
    [entries("/proc/self/fd"), entries("/proc/self/task"), maps]
}

fn swapchains_leave_nothing_behind() {
    let device = device();
    let running = start(Offer { tearing: true, fifo: true, presentation: true, ..Offer::new(&[TILED]) });
    for shares in [true, false] {
        let surface = running.surface(shares);
        let round = || {
            let swapchain = swapchain(&device, &surface, vk::PresentModeKHR::FIFO);
            show(&device, &swapchain, 1, 1).expect("shown");
        };
        (0..10).for_each(|_| round());
        let before = held();
        (0..ROUNDS / 2).for_each(|_| round());
        // The compositor closes some late.
        let after = (0..200).map(|_| {
            std::thread::sleep(Duration::from_millis(5));
            held()
        });
        let least = after.reduce(|a, b| [0, 1, 2].map(|at: usize| a[at].min(b[at]))).expect("some");
        for (what, (before, after)) in
            ["descriptors", "threads", "mappings"].iter().zip(before.into_iter().zip(least))
        {
            assert!(after <= before + OTHERS, "{before} {what} before {ROUNDS} swapchains, {after} after");
        }
    }
}
