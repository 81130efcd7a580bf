//! An X server of the test's own: it knows one window, and the requests of DRI3 and Present that show images in it.

use std::collections::BTreeMap;
use std::io::{IoSliceMut, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use x11rb_protocol::protocol::present::{CompleteKind, CompleteMode, CompleteNotifyEvent, IdleNotifyEvent};
use x11rb_protocol::protocol::{Request, dri3, present, xproto};
use x11rb_protocol::x11_utils::{
    BigRequests, ExtInfoProvider, ExtensionInformation, Serialize, parse_request_header,
};

use super::compositor::lock;
use super::pixels::{LINEAR, Pixels, XRGB};

/// Numbers of the extensions.
const EXTENSIONS: [(&str, u8); 2] = [(dri3::X11_EXTENSION_NAME, 150), (present::X11_EXTENSION_NAME, 151)];
/// Response types of events of extensions, and the numbers of events.
const GENERIC: u8 = 35;
const COMPLETE: u16 = 1;
const IDLE: u16 = 2;

/// The window, which is 24 bits deep.
pub const WINDOW: u32 = 7;
/// Bits of a pixel of the window that count.
pub const DEPTH: u8 = 24;

/// Microseconds of a frame.
pub const FRAME: u64 = 20_000;

/// A presentation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// Its pixel, if all are equal.
    pub colour: Option<u32>,
    pub pixels: Vec<u32>,
    pub modifier: u64,
    pub options: u32,
    /// The frame in which it was to be shown.
    pub frame: u64,
}

/// What the test sees of a server.
#[derive(Default)]
pub struct Seen {
    pub shown: Vec<Shown>,
    /// Presentations of pixmaps that the server had not given back.
    pub reused: usize,
    /// Pixmaps that exist.
    pub pixmaps: usize,
}

/// A server in a thread.
pub struct Running {
    pub seen: Arc<Mutex<Seen>>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// Waits for the end of the server, which follows that of the connection.
    pub fn join(mut self) {
        assert!(self.thread.take().is_some_and(|thread| thread.join().is_ok()), "a wrong request");
    }
}

/// A reply or an event: at least 32 bytes.
fn whole(reply: &impl Serialize<Bytes = impl AsRef<[u8]>>) -> Vec<u8> {
    let mut bytes = reply.serialize().as_ref().to_vec();
    bytes.resize(bytes.len().max(32), 0);
    bytes
}

struct Known;

impl ExtInfoProvider for Known {
    fn get_from_major_opcode(&self, opcode: u8) -> Option<(&str, ExtensionInformation)> {
        let (name, major_opcode) = EXTENSIONS.into_iter().find(|(_, known)| *known == opcode)?;
        Some((name, ExtensionInformation { major_opcode, first_event: 0, first_error: 0 }))
    }

    fn get_from_event_code(&self, _: u8) -> Option<(&str, ExtensionInformation)> {
        None
    }

    fn get_from_error_code(&self, _: u8) -> Option<(&str, ExtensionInformation)> {
        None
    }
}

struct Server {
    stream: UnixStream,
    modifiers: Vec<u64>,
    seen: Arc<Mutex<Seen>>,
    /// Bytes that were read, and the descriptors that came with them.
    bytes: Vec<u8>,
    files: Vec<OwnedFd>,
    sequence: u16,
    pixmaps: BTreeMap<u32, Pixels>,
    /// The number of the client's events.
    events: u32,
    /// The pixmap that is shown, with the number of its presentation.
    on_screen: Option<(u32, u32)>,
    frame: u64,
}

/// Starts a server that knows these modifiers. Returns the client's end of its connection.
pub fn start(modifiers: &[u64]) -> (Running, UnixStream) {
    let (near, far) = UnixStream::pair().expect("sockets");
    let seen = Arc::new(Mutex::new(Seen::default()));
    let (see, modifiers) = (seen.clone(), modifiers.to_vec());
    let thread = std::thread::spawn(move || {
        let (bytes, files, pixmaps) = (Vec::new(), Vec::new(), BTreeMap::new());
        let mut server = Server {
            stream: far,
            modifiers,
            seen: see,
            bytes,
            files,
            sequence: 0,
            pixmaps,
            events: 0,
            on_screen: None,
            frame: 100,
        };
        server.greet();
        while server.serve() {}
    });
    (Running { seen, thread: Some(thread) }, near)
}

impl Server {
    /// Reads more bytes; returns whether the client is there.
    fn read(&mut self) -> bool {
        let mut bytes = [0; 4096];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(8))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut slices = [IoSliceMut::new(&mut bytes)];
        let Ok(read) = recvmsg(&self.stream, &mut slices, &mut ancillary, RecvFlags::CMSG_CLOEXEC) else {
            return false;
        };
        for message in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(files) = message {
                self.files.extend(files);
            }
        }
        self.bytes.extend(&bytes[..read.bytes]);
        read.bytes > 0
    }

    /// Takes bytes, once they are there.
    fn take(&mut self, count: usize) -> Option<Vec<u8>> {
        while self.bytes.len() < count {
            if !self.read() {
                return None;
            }
        }
        Some(self.bytes.drain(..count).collect())
    }

    fn send(&mut self, bytes: &[u8]) {
        // The client may be gone.
        let _ = self.stream.write_all(bytes);
    }

    fn reply(&mut self, reply: impl Serialize<Bytes = impl AsRef<[u8]>>) {
        let bytes = whole(&reply);
        self.send(&bytes);
    }

    /// Answers the client's first words.
    fn greet(&mut self) {
        self.take(12).expect("a greeting");
        let screen = xproto::Screen { root: 1, root_depth: DEPTH, ..xproto::Screen::default() };
        let mut setup = xproto::Setup {
            status: 1,
            protocol_major_version: 11,
            resource_id_base: 0x20_0000,
            resource_id_mask: 0x1f_ffff,
            maximum_request_length: u16::MAX,
            pixmap_formats: vec![xproto::Format { depth: DEPTH, bits_per_pixel: 32, scanline_pad: 32 }],
            roots: vec![screen],
            ..xproto::Setup::default()
        };
        setup.length = (setup.serialize().len() / 4 - 2) as u16;
        let bytes = setup.serialize();
        self.send(&bytes);
    }

    /// Serves a request; returns whether the client is there.
    fn serve(&mut self) -> bool {
        let Some(head) = self.take(4) else { return false };
        let words = usize::from(u16::from_ne_bytes([head[2], head[3]]));
        let Some(rest) = self.take(4 * words - 4) else { return false };
        let request = [head, rest].concat();
        self.sequence = self.sequence.wrapping_add(1);
        let (header, body) = parse_request_header(&request, BigRequests::NotEnabled).expect("a request");
        let mut files = std::mem::take(&mut self.files);
        let request = Request::parse(header, body, &mut files, &Known).expect("a known request");
        self.files = files;
        self.answer(request);
        true
    }

    fn answer(&mut self, request: Request<'_>) {
        let sequence = self.sequence;
        match request {
            Request::QueryExtension(asked) => {
                let known = EXTENSIONS.into_iter().find(|(name, _)| name.as_bytes() == &*asked.name);
                let (present, major_opcode) = (known.is_some(), known.map_or(0, |(_, opcode)| opcode));
                let (length, first_event, first_error) = (0, 0, 0);
                let reply = xproto::QueryExtensionReply {
                    sequence,
                    length,
                    present,
                    major_opcode,
                    first_event,
                    first_error,
                };
                self.reply(reply);
            }
            Request::GetGeometry(_) => {
                let [width, height] = super::SIZE.map(|side| side as u16);
                let (root, depth) = (1, DEPTH);
                let reply =
                    xproto::GetGeometryReply { depth, sequence, root, width, height, ..Default::default() };
                self.reply(reply);
            }
            Request::GetInputFocus(_) => {
                let reply = xproto::GetInputFocusReply { sequence, ..Default::default() };
                self.reply(reply);
            }
            Request::Dri3QueryVersion(_) => {
                let (length, major_version, minor_version) = (0, 1, 2);
                self.reply(dri3::QueryVersionReply { sequence, length, major_version, minor_version });
            }
            Request::PresentQueryVersion(_) => {
                let (length, major_version, minor_version) = (0, 1, 2);
                self.reply(present::QueryVersionReply { sequence, length, major_version, minor_version });
            }
            Request::Dri3Open(_) => self.open(),
            Request::Dri3GetSupportedModifiers(_) => {
                let (window_modifiers, screen_modifiers) = (Vec::new(), self.modifiers.clone());
                let length = 2 * screen_modifiers.len() as u32;
                let reply =
                    dri3::GetSupportedModifiersReply { sequence, length, window_modifiers, screen_modifiers };
                self.reply(reply);
            }
            Request::Dri3PixmapFromBuffers(made) => self.pixmap(made),
            Request::FreePixmap(freed) => {
                assert!(self.pixmaps.remove(&freed.pixmap).is_some());
                lock(&self.seen).pixmaps -= 1;
            }
            Request::PresentSelectInput(wanted) => self.events = wanted.eid,
            Request::PresentPixmap(shown) => self.present(&shown),
            Request::CreateGC(_) | Request::FreeGC(_) => {}
            _ => panic!("an unexpected request"),
        }
    }

    /// Sends the node of the device.
    fn open(&mut self) {
        let node = std::fs::File::open("/dev/dri/renderD128").expect("the library shows a node");
        let reply = dri3::OpenReply { nfd: 1, sequence: self.sequence, length: 0, device_fd: node.into() };
        let bytes = whole(&reply);
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        let files = [reply.device_fd.as_fd()];
        assert!(ancillary.push(SendAncillaryMessage::ScmRights(&files)));
        let slices = [std::io::IoSlice::new(&bytes)];
        sendmsg(&self.stream, &slices, &mut ancillary, SendFlags::empty()).expect("sent");
    }

    fn pixmap(&mut self, made: dri3::PixmapFromBuffersRequest) {
        let [file] = <[OwnedFd; 1]>::try_from(made.buffers).expect("one plane");
        assert_eq!((made.window, made.depth, made.bpp), (WINDOW, DEPTH, 32));
        assert!(self.modifiers.contains(&made.modifier));
        assert!(
            made.modifier != LINEAR || made.stride0.is_multiple_of(128),
            "rows of {} bytes",
            made.stride0
        );
        let pixels = Pixels {
            file: Arc::new(file),
            offset: made.offset0.into(),
            size: [made.width.into(), made.height.into()],
            row: made.stride0,
            modifier: made.modifier,
            format: XRGB,
            shared: true,
        };
        self.pixmaps.insert(made.pixmap, pixels);
        lock(&self.seen).pixmaps += 1;
    }

    fn present(&mut self, request: &present::PixmapRequest<'_>) {
        let pixels = self.pixmaps.get(&request.pixmap).expect("a pixmap");
        let (modifier, pixels) = (pixels.modifier, pixels.read());
        let colour = Pixels::colour(&pixels);
        let mut seen = lock(&self.seen);
        seen.reused += usize::from(self.on_screen.is_some_and(|(pixmap, _)| pixmap == request.pixmap));
        let (options, frame) = (request.options, request.target_msc);
        seen.shown.push(Shown { colour, pixels, modifier, options, frame });
        drop(seen);
        self.frame = request.target_msc.max(self.frame + 1);
        let (sequence, event, window, length) = (self.sequence, self.events, WINDOW, 0);
        if let Some((pixmap, serial)) = self.on_screen.replace((request.pixmap, request.serial)) {
            let (extension, idle_fence) = (EXTENSIONS[1].1, 0);
            let event = IdleNotifyEvent {
                response_type: GENERIC,
                extension,
                sequence,
                length,
                event_type: IDLE,
                event,
                window,
                serial,
                pixmap,
                idle_fence,
            };
            self.reply(event);
        }
        let complete = CompleteNotifyEvent {
            response_type: GENERIC,
            extension: EXTENSIONS[1].1,
            sequence,
            length: 2,
            event_type: COMPLETE,
            kind: CompleteKind::PIXMAP,
            mode: CompleteMode::FLIP,
            event,
            window,
            serial: request.serial,
            ust: FRAME * self.frame,
            msc: self.frame,
        };
        self.reply(complete);
    }
}
