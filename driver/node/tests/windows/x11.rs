//! Swapchains in a window of an X server, by DRI3 and Present.

use std::sync::Arc;

use agx_driver::Error;
use agx_driver::host_copy::HostCopy;
use agx_driver::surface::{Direct, Surface, X11};
use agx_driver::swapchain::{Present, Swapchain};
use agx_driver::transfer::Box3;
use ash::vk;
use x11rb::rust_connection::{DefaultStream, RustConnection};

use super::compositor::lock;
use super::pixels::{LINEAR, TILED};
use super::server::{FRAME, Running, WINDOW, start};
use super::{SIZE, device, info, show, swapchain};

fn connection(modifiers: &[u64]) -> (Running, RustConnection) {
    let (running, stream) = start(modifiers);
    let (stream, _) = DefaultStream::from_unix_stream(stream).expect("a stream");
    (running, RustConnection::connect_to_stream(stream, 0).expect("a connection"))
}

/// A window of the application's connection, with a server for the driver's own.
fn window(modifiers: &[u64], node: [u32; 2]) -> ([Running; 2], Arc<dyn Surface>) {
    let (application, connection) = self::connection(&[]);
    let (server, own) = self::connection(modifiers);
    let surface = X11::new(connection, WINDOW, |depth| Direct::open(own, WINDOW, depth, node));
    ([application, server], Arc::new(surface.expect("a window")))
}

/// The tests.
pub const TESTS: &[(&str, fn())] = &[
    ("the_memory_of_images_is_shown", the_memory_of_images_is_shown),
    ("pixels_are_where_the_modifier_says", pixels_are_where_the_modifier_says),
    ("modes_choose_the_frame", modes_choose_the_frame),
    ("servers_that_cannot_show_memory_get_pixels", servers_that_cannot_show_memory_get_pixels),
];

fn the_memory_of_images_is_shown() {
    let device = device();
    for (modifiers, node, wanted) in [
        (&[LINEAR, TILED] as &[u64], [226, 128], TILED),
        (&[LINEAR], [226, 128], LINEAR),
        // Another device does not know the tiles of this one.
        (&[LINEAR, TILED], [226, 129], LINEAR),
    ] {
        let ([application, server], surface) = window(modifiers, node);
        let chain = swapchain(&device, &surface, vk::PresentModeKHR::MAILBOX);
        let count = 200;
        for colour in 1..=count {
            show(&device, &chain, colour, colour.into()).expect("shown");
        }
        chain.wait_for(count.into(), 5_000_000_000).expect("the last presentation ends");
        assert!(matches!(chain.wait_for(u64::from(count) + 1, 0), Err(Error::Timeout)));
        let seen = lock(&server.seen);
        for (shown, colour) in seen.shown.iter().zip(1..) {
            assert_eq!((shown.colour, shown.modifier), (Some(colour), wanted));
        }
        assert_eq!((seen.shown.len(), seen.reused, seen.pixmaps), (count as usize, 0, 3));
        drop(seen);
        drop((chain, surface));
        let seen = server.seen.clone();
        server.join();
        application.join();
        assert_eq!(lock(&seen).pixmaps, 0, "the pixmaps are freed");
    }
}

fn pixels_are_where_the_modifier_says() {
    let device = device();
    for modifier in [LINEAR, TILED] {
        let ([_application, server], surface) = window(&[modifier], [226, 128]);
        let chain: Swapchain = swapchain(&device, &surface, vk::PresentModeKHR::FIFO);
        let acquired = chain.acquire(0).expect("free");
        let image = chain.images().nth(acquired.number as usize).expect("an image");
        let [width, height] = SIZE;
        let pixels: Vec<u32> = (0..height).flat_map(|y| (0..width).map(move |x| x << 8 | y)).collect();
        let bytes: Vec<u8> = pixels.iter().flat_map(|pixel| pixel.to_le_bytes()).collect();
        let place = Box3 { aspect: vk::ImageAspectFlags::COLOR, level: 0, at: [0; 3] };
        let copy = HostCopy { row: 0, rows: 0, image: place, size: [width, height, 1] };
        copy.to_image(image, &bytes).expect("bound");
        chain.present(acquired.number, Present { id: 1, ..Present::default() }).expect("shown");
        chain.wait_for(1, 5_000_000_000).expect("it ends");
        assert!(lock(&server.seen).shown[0].pixels == pixels, "{modifier:#x}");
    }
}

fn modes_choose_the_frame() {
    let device = device();
    let ([_application, server], surface) = window(&[TILED], [226, 128]);
    let chain = swapchain(&device, &surface, vk::PresentModeKHR::FIFO);
    assert!(surface.tells_times() && chain.keep_timings(4));
    let modes = [
        vk::PresentModeKHR::FIFO,
        vk::PresentModeKHR::FIFO,
        vk::PresentModeKHR::IMMEDIATE,
        vk::PresentModeKHR::MAILBOX,
    ];
    for (mode, id) in modes.into_iter().zip(1..) {
        let acquired = chain.acquire(u64::MAX).expect("free");
        let present = Present { mode: Some(mode), id, is_timed: true, ..Present::default() };
        chain.present(acquired.number, present).expect("shown");
        chain.wait_for(id, 5_000_000_000).expect("it ends");
    }
    let mut times = Vec::new();
    chain.take_timings(true, |timing| {
        times.extend(timing.time);
        true
    });
    // Each is shown in a frame of its own; the first is frame 101.
    assert_eq!(times, [101, 102, 103, 104].map(|frame| 1000 * FRAME * frame));
    assert_eq!(chain.refresh(), Some(1000 * FRAME));
    let told: Vec<_> = lock(&server.seen).shown.iter().map(|shown| (shown.options, shown.frame)).collect();
    // The server shows the first in frame 101, so the second is for the next one; 1 is `PresentOptionAsync`.
    assert_eq!(told, [(0, 1), (0, 102), (1, 0), (0, 0)]);
}

fn servers_that_cannot_show_memory_get_pixels() {
    // The core protocol has no such request here, so the swapchain is only made.
    let (_application, connection) = self::connection(&[]);
    let (_server, own) = self::connection(&[0x0100_0000_0000_0001]);
    let surface = X11::new(connection, WINDOW, |depth| Direct::open(own, WINDOW, depth, [226, 128]));
    let surface = Arc::new(surface.expect("a window"));
    let device = device();
    let chain = Swapchain::new(&device, surface, &info(vk::PresentModeKHR::FIFO)).expect("a swapchain");
    assert!(chain.acquire(0).expect("free").fence.is_none(), "nothing is shared");
}
