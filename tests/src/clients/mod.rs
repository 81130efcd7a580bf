//! Applications that run on a driver, and the comparison of their results with lavapipe's.

pub mod lines;
pub mod picture;
pub mod screen;

use crate::device::environment::WINDOW;

/// The results of an application.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shows {
    /// It exits successfully.
    End,
    /// It exits successfully if the results equal its own computation. It does not accept a software renderer.
    Checked,
    /// It prints lines with a type and hexadecimal bytes.
    Lines,
    /// It presents images; the one with this number is compared.
    Frame(u32),
    /// A window shows it, at the latest when its time limit is reached.
    Screen,
    /// It saves an image as [`SAVED`].
    Saved,
}

/// The file in which applications save images.
pub const SAVED: &str = "/opt/agx/frames/saved.png";

/// The drivers that run an application.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Runs {
    /// The project's driver and Mesa's.
    Both,
    /// The project's driver only, because Mesa's has no window on the device.
    Own,
    /// Mesa's driver only, because the project's lacks a feature.
    Mesa,
}

/// An application and its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    /// Name in reports.
    pub name: &'static str,
    /// Program and arguments.
    pub command: &'static [&'static str],
    /// Additional environment variables.
    pub variables: &'static [&'static str],
    /// Its results.
    pub shows: Shows,
    /// Drivers.
    pub runs: Runs,
    /// Time limit in seconds. A program that is stopped at the limit passes if it has shown its results.
    pub seconds: u32,
}

const PYTHON: &[&str] = &["PYTHONPATH=/opt/agx/python"];
/// wgpu hides drivers that do not report conformance.
const WGPU: &[&str] = &["PYTHONPATH=/opt/agx/python", "AGX_CONFORMANCE_VERSION=1.3.0.0"];
/// OpenGL on Vulkan.
pub const ZINK: &[&str] = &["MESA_LOADER_DRIVER_OVERRIDE=zink", "GALLIUM_DRIVER=zink", "LIBGL_KOPPER_DRI2=1"];

/// Preloads the library of the tree that changes the clock, by the variable `FAKETIME`.
pub const CLOCK: &str = "LD_PRELOAD=/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";

/// A clock that stands still.
pub const EARLY: &str = "FAKETIME=@2023-12-31 05:20:10 x0.000000001";

const ZINK_PYTHON_PLAIN: &[&str] = &[
    "PYTHONPATH=/opt/agx/python",
    "VK_INSTANCE_LAYERS=",
    "MESA_LOADER_DRIVER_OVERRIDE=zink",
    "GALLIUM_DRIVER=zink",
    "LIBGL_KOPPER_DRI2=1",
];

/// A frame of a video through libplacebo, after these words and in this kind of window.
macro_rules! mpv {
    ([$($before:expr),*], $context:literal) => {
        &[
            $($before,)*
            "mpv",
            "--no-config",
            "--vo=gpu-next",
            "--gpu-api=vulkan",
            concat!("--gpu-context=", $context),
            "--gpu-sw=yes",
            "--pause",
            "--no-audio",
            "--no-osc",
            "--osd-level=0",
            "--geometry=200x150",
            "av://lavfi:testsrc2=size=160x120",
        ]
    };
}

/// A program that prints.
const fn prints(
    name: &'static str,
    command: &'static [&'static str],
    variables: &'static [&'static str],
    runs: Runs,
) -> Client {
    Client { name, command, variables, shows: Shows::Lines, runs, seconds: 300 }
}

/// A scene of vkmark, which depends on time and runs until it is stopped.
macro_rules! vkmark {
    ($name:literal, $scene:literal) => {
        Client {
            name: concat!("vkmark-", $name),
            command: &["vkmark", "--winsys", "xcb", "-s", "128x96", "-b", $scene],
            variables: &[],
            shows: Shows::Screen,
            runs: Runs::Own,
            seconds: 60,
        }
    };
}

/// A scene of glmark2, through OpenGL on Vulkan.
macro_rules! glmark {
    ($name:literal, $scene:literal) => {
        Client {
            name: concat!("glmark2-", $name),
            command: &["glmark2", "-s", "128x96", "-b", $scene],
            variables: ZINK,
            shows: Shows::Screen,
            runs: Runs::Own,
            seconds: 120,
        }
    };
}

/// A program with a still image in its window.
const fn shows(
    name: &'static str,
    command: &'static [&'static str],
    variables: &'static [&'static str],
) -> Client {
    Client { name, command, variables, shows: Shows::Screen, runs: Runs::Own, seconds: 60 }
}

/// A program with a still image in a window of a compositor, whose picture is compared.
const fn windowed(
    name: &'static str,
    command: &'static [&'static str],
    variables: &'static [&'static str],
) -> Client {
    Client { name, command, variables, shows: Shows::Saved, runs: Runs::Own, seconds: 60 }
}

/// Programs of a run without a filter: they end within a few minutes, and each uses the driver differently.
pub const OFTEN: &[&str] = &[
    "vulkaninfo",
    "wgpu",
    "ncnn",
    "esrgan",
    "ggml",
    "pygfx",
    "slang",
    "waifu2x",
    "computeml",
    "torch",
    "vkfft",
    "moderngl",
    "raylib",
    "compushady",
    "datoviz",
    "onnx",
    "deno",
    "gles2",
    "gles3",
    "piglit",
    "vkcube",
    "vkbasalt",
    "vkmark-vertex",
    "vkmark-headless",
    "gtk",
    "qt",
    "mpv",
    "wayland-mpv",
    "wayland-sdl",
    "xwayland-vkd3d",
    "vkd3d-gears",
    "sdl-cube",
];

/// Every program.
pub const CLIENTS: &[Client] = &[
    Client {
        name: "vulkaninfo",
        command: &["vulkaninfo"],
        variables: &[],
        shows: Shows::End,
        runs: Runs::Both,
        seconds: 60,
    },
    prints("wgpu", &["python3", "/opt/agx/wgpu_client.py"], WGPU, Runs::Both),
    prints("ncnn", &["python3", "/opt/agx/ncnn_client.py"], PYTHON, Runs::Both),
    prints("esrgan", &["python3", "/opt/agx/esrgan_client.py"], PYTHON, Runs::Both),
    Client {
        name: "pygfx",
        command: &["python3", "/opt/agx/pygfx_client.py", SAVED],
        variables: WGPU,
        shows: Shows::Saved,
        runs: Runs::Own,
        seconds: 120,
    },
    prints("slang", &["python3", "/opt/agx/slang_client.py"], PYTHON, Runs::Own),
    // It does not destroy shader modules before the device, which the validation layer reports.
    prints(
        "waifu2x",
        &["python3", "/opt/agx/waifu2x_client.py"],
        &["PYTHONPATH=/opt/agx/python", "VK_INSTANCE_LAYERS="],
        Runs::Own,
    ),
    prints("computeml", &["python3", "/opt/agx/computeml_client.py"], PYTHON, Runs::Own),
    Client {
        name: "llama",
        command: &[
            "sh",
            "-c",
            "python3 /opt/agx/llama_model.py /tmp/model.gguf && node /opt/agx/llama_client.mjs /tmp/model.gguf",
        ],
        variables: PYTHON,
        shows: Shows::Checked,
        runs: Runs::Own,
        seconds: 300,
    },
    Client {
        name: "torch",
        command: &["python3", "/opt/agx/torch_client.py"],
        variables: &[],
        shows: Shows::Checked,
        runs: Runs::Own,
        seconds: 120,
    },
    // It does not destroy its objects before the device, which the validation layer reports.
    Client {
        name: "vkfft",
        command: &["python3", "/opt/agx/vkfft_client.py"],
        variables: &["PYTHONPATH=/opt/agx/python", "VK_INSTANCE_LAYERS="],
        shows: Shows::Checked,
        runs: Runs::Own,
        seconds: 120,
    },
    // zink gives buffers a usage of an extension that the driver lacks, which the validation layer reports.
    prints("moderngl", &["python3", "/opt/agx/moderngl_client.py"], ZINK_PYTHON_PLAIN, Runs::Own),
    // zink replaces a swapchain while another thread presents, which the validation layer reports.
    Client {
        name: "raylib",
        command: &["python3", "/opt/agx/raylib_client.py", SAVED],
        variables: ZINK_PYTHON_PLAIN,
        shows: Shows::Saved,
        runs: Runs::Own,
        seconds: 120,
    },
    prints("compushady", &["python3", "-u", "/opt/agx/compushady_client.py"], PYTHON, Runs::Own),
    Client {
        name: "datoviz",
        command: &["python3", "/opt/agx/datoviz_client.py", SAVED],
        variables: PYTHON,
        shows: Shows::Saved,
        runs: Runs::Own,
        seconds: 120,
    },
    Client {
        name: "onnx",
        command: &["python3", "/opt/agx/onnx_client.py"],
        variables: WGPU,
        shows: Shows::Checked,
        runs: Runs::Own,
        seconds: 120,
    },
    prints("deno", &["/opt/agx/deno/deno", "run", "-A", "/opt/agx/deno_client.mjs"], WGPU, Runs::Own),
    prints("taichi", &["python3", "/opt/agx/taichi_client.py"], PYTHON, Runs::Own),
    Client {
        name: "ggml",
        command: &["python3", "/opt/agx/ggml_client.py"],
        variables: PYTHON,
        shows: Shows::Checked,
        runs: Runs::Own,
        seconds: 300,
    },
    prints("gles2", &["python3", "/opt/agx/gl_client.py", "2"], ZINK, Runs::Both),
    prints("gles3", &["python3", "/opt/agx/gl_client.py", "3"], ZINK, Runs::Both),
    prints("piglit", &["python3", "/opt/agx/piglit_client.py", "3", "29"], ZINK, Runs::Own),
    prints("piglit-4", &["python3", "/opt/agx/piglit_client.py", "4", "8"], ZINK, Runs::Own),
    // Runs one fifth of the tests, which takes several minutes.
    Client {
        name: "piglit-more",
        command: &["python3", "/opt/agx/piglit_client.py", "3", "5"],
        variables: ZINK,
        shows: Shows::Lines,
        runs: Runs::Own,
        seconds: 1800,
    },
    Client {
        name: "vkcube",
        command: &["vkcube", "--c", "16", "--width", "200", "--height", "150"],
        variables: &[],
        shows: Shows::Frame(12),
        runs: Runs::Own,
        seconds: 60,
    },
    Client {
        name: "vkcube-xlib",
        command: &["vkcube", "--wsi", "xlib", "--c", "16", "--width", "200", "--height", "150"],
        variables: &[],
        shows: Shows::Frame(12),
        runs: Runs::Own,
        seconds: 60,
    },
    // A layer that processes the presented images.
    Client {
        name: "vkbasalt",
        command: &["vkcube", "--c", "16", "--width", "200", "--height", "150"],
        variables: &[
            "VK_LOADER_LAYERS_ENABLE=VK_LAYER_VKBASALT_post_processing",
            "ENABLE_VKBASALT=1",
            "VKBASALT_CONFIG_FILE=/opt/agx/vkbasalt.conf",
        ],
        shows: Shows::Frame(12),
        runs: Runs::Own,
        seconds: 60,
    },
    Client {
        name: "gtk",
        command: &["gtk4-rendernode-tool", "render", "--renderer=vulkan", "/opt/agx/scene.node", SAVED],
        variables: &["GDK_BACKEND=x11"],
        shows: Shows::Saved,
        runs: Runs::Own,
        seconds: 60,
    },
    shows("qt", &["qml6", "/opt/agx/scene.qml"], &["QSG_RHI_BACKEND=vulkan", "QT_QPA_PLATFORM=xcb"]),
    // It waits for its window with a clock; its image is still.
    shows("mpv", mpv!([], "x11vk"), &["FAKETIME=+0"]),
    windowed("wayland-mpv", mpv!([WINDOW, "wayland", SAVED], "waylandvk"), &[]),
    windowed("xwayland-mpv", mpv!([WINDOW, "x11", SAVED], "x11vk"), &[]),
    windowed(
        "wayland-sdl",
        &[
            WINDOW,
            "wayland",
            SAVED,
            "/usr/libexec/installed-tests/SDL3/testgeometry",
            "--renderer",
            "vulkan",
            "--geometry",
            "200x150",
        ],
        &["SDL_VIDEODRIVER=wayland"],
    ),
    windowed("xwayland-vkd3d", &[WINDOW, "x11", SAVED, "vkd3d-triangle"], &[]),
    shows("vkd3d-gears", &["vkd3d-gears"], &[]),
    shows("vkd3d-triangle", &["vkd3d-triangle"], &[]),
    Client {
        name: "sdl-cube",
        command: &["/usr/libexec/installed-tests/SDL3/testgpu_spinning_cube"],
        variables: &["SDL_VIDEODRIVER=x11"],
        shows: Shows::Frame(6),
        runs: Runs::Own,
        seconds: 20,
    },
    shows(
        "sdl-geometry",
        &["/usr/libexec/installed-tests/SDL3/testgeometry", "--renderer", "vulkan", "--geometry", "200x150"],
        &["SDL_VIDEODRIVER=x11"],
    ),
    vkmark!("vertex", "vertex"),
    Client {
        name: "vkmark-headless",
        command: &["vkmark", "--winsys", "headless", "-s", "128x96", "-b", "desktop:duration=0.1"],
        variables: &[],
        shows: Shows::End,
        runs: Runs::Both,
        seconds: 60,
    },
    vkmark!("texture", "texture:anisotropy=0"),
    vkmark!("gouraud", "shading:shading=gouraud"),
    vkmark!("phong", "shading:shading=phong"),
    vkmark!("cel", "shading:shading=cel"),
    vkmark!("cube", "cube"),
    vkmark!("edge", "effect2d:kernel=edge"),
    vkmark!("blur", "effect2d:kernel=blur"),
    vkmark!("desktop", "desktop"),
    Client {
        name: "glxgears",
        command: &["glxgears", "-geometry", "200x150"],
        variables: ZINK,
        shows: Shows::Screen,
        runs: Runs::Own,
        seconds: 60,
    },
    glmark!("build", "build"),
    glmark!("texture", "texture:texture-filter=mipmap"),
    glmark!("shading", "shading:shading=phong"),
    glmark!("bump", "bump:bump-render=normals"),
    glmark!("shadow", "shadow"),
    glmark!("refract", "refract"),
    glmark!("conditionals", "conditionals:fragment-steps=5"),
    // Its image depends on the clock: both drivers use the same time, with which the validation layer's waits would
    // time out. The time is early in the period of 100000 seconds; later, quotients in single precision move the
    // vertices.
    Client {
        name: "glmark2-jellyfish",
        command: &["glmark2", "-s", "128x96", "-b", "jellyfish"],
        variables: &[
            "MESA_LOADER_DRIVER_OVERRIDE=zink",
            "GALLIUM_DRIVER=zink",
            "LIBGL_KOPPER_DRI2=1",
            "VK_INSTANCE_LAYERS=",
            EARLY,
        ],
        shows: Shows::Screen,
        runs: Runs::Own,
        seconds: 120,
    },
    glmark!("terrain", "terrain"),
];
