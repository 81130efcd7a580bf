//! The requests and structures of this crate and of the driver, compared with the kernel's own header.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use agx_abi::record::{
    attachment, bind_op, command_header, compute_command, gem_bind_object, gem_create, gem_mmap_offset,
    get_params, get_time, queue_create, queue_destroy, render_command, submit, sync, vm_bind, vm_create,
    vm_destroy,
};
use agx_driver::gpu::number;

use super::{MMAP_OFFSET, VERSION, opcode};

/// The requests with their numbers and the bytes of their structures.
fn requests() -> Vec<(&'static str, u8, usize)> {
    vec![
        ("DRM_IOCTL_VERSION", VERSION, 64),
        ("DRM_IOCTL_GEM_CLOSE", number::GEM_CLOSE, 8),
        ("DRM_IOCTL_PRIME_HANDLE_TO_FD", number::BUFFER_EXPORT, 12),
        ("DRM_IOCTL_PRIME_FD_TO_HANDLE", number::BUFFER_IMPORT, 12),
        ("DRM_IOCTL_ASAHI_GET_PARAMS", number::GET_PARAMS, get_params::RECORD.bytes),
        ("DRM_IOCTL_ASAHI_GET_TIME", number::GET_TIME, get_time::RECORD.bytes),
        ("DRM_IOCTL_ASAHI_VM_CREATE", number::VM_CREATE, vm_create::RECORD.bytes),
        ("DRM_IOCTL_ASAHI_VM_DESTROY", number::VM_DESTROY, vm_destroy::RECORD.bytes),
        ("DRM_IOCTL_ASAHI_VM_BIND", number::VM_BIND, vm_bind::RECORD.bytes),
        ("DRM_IOCTL_ASAHI_GEM_CREATE", number::GEM_CREATE, gem_create::RECORD.bytes),
        ("DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET", MMAP_OFFSET, gem_mmap_offset::RECORD.bytes),
        ("DRM_IOCTL_ASAHI_GEM_BIND_OBJECT", number::GEM_BIND_OBJECT, gem_bind_object::RECORD.bytes),
        ("DRM_IOCTL_ASAHI_QUEUE_CREATE", number::QUEUE_CREATE, queue_create::RECORD.bytes),
        ("DRM_IOCTL_ASAHI_QUEUE_DESTROY", number::QUEUE_DESTROY, queue_destroy::RECORD.bytes),
        ("DRM_IOCTL_ASAHI_SUBMIT", number::SUBMIT, submit::RECORD.bytes),
        ("DRM_IOCTL_SYNCOBJ_CREATE", number::SYNC_CREATE, 8),
        ("DRM_IOCTL_SYNCOBJ_DESTROY", number::SYNC_DESTROY, 8),
        ("DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD", number::SYNC_EXPORT, 16),
        ("DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE", number::SYNC_IMPORT, 16),
        ("DRM_IOCTL_SYNCOBJ_RESET", number::SYNC_RESET, 16),
        ("DRM_IOCTL_SYNCOBJ_SIGNAL", number::SYNC_SIGNAL, 16),
        ("DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT", number::SYNC_TIMELINE_WAIT, 48),
        ("DRM_IOCTL_SYNCOBJ_QUERY", number::SYNC_QUERY, 24),
        ("DRM_IOCTL_SYNCOBJ_TRANSFER", number::SYNC_TRANSFER, 32),
        ("DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL", number::SYNC_TIMELINE_SIGNAL, 24),
    ]
}

/// Places of fields in bytes.
fn places() -> Vec<(&'static str, usize)> {
    let byte = |field: agx_abi::record::Field| (field.start / 8) as usize;
    vec![
        ("offsetof(struct drm_version, name_len)", 16),
        ("offsetof(struct drm_version, name)", 24),
        ("offsetof(struct drm_syncobj_timeline_wait, timeout_nsec)", 16),
        ("offsetof(struct drm_syncobj_timeline_wait, count_handles)", 24),
        ("offsetof(struct drm_syncobj_timeline_wait, flags)", 28),
        ("offsetof(struct drm_syncobj_transfer, src_point)", 8),
        ("offsetof(struct drm_syncobj_transfer, dst_point)", 16),
        ("offsetof(struct drm_syncobj_handle, fd)", 8),
        ("offsetof(struct drm_prime_handle, fd)", 8),
        ("DRM_RDWR | DRM_CLOEXEC", 0o200_0002),
        ("DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE", 1),
        ("DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE", 1),
        ("DMA_BUF_IOCTL_EXPORT_SYNC_FILE", 0xc008_6202),
        ("DMA_BUF_IOCTL_IMPORT_SYNC_FILE", 0x4008_6203),
        ("DMA_BUF_SYNC_RW", 3),
        ("offsetof(struct dma_buf_export_sync_file, fd)", 4),
        ("offsetof(struct dma_buf_import_sync_file, fd)", 4),
        ("offsetof(struct sync_file_info, status)", 32),
        ("sizeof(struct sync_file_info)", 56),
        ("offsetof(struct drm_asahi_params_global, core_masks)", 40),
        ("offsetof(struct drm_asahi_params_global, vm_start)", 552),
        ("offsetof(struct drm_asahi_params_global, command_timestamp_frequency_hz)", 584),
        ("sizeof(struct drm_asahi_params_global)", 592),
        ("sizeof(struct drm_asahi_gem_bind_op)", bind_op::RECORD.bytes),
        ("offsetof(struct drm_asahi_gem_bind_op, addr)", byte(bind_op::ADDRESS)),
        ("sizeof(struct drm_asahi_sync)", sync::RECORD.bytes),
        ("sizeof(struct drm_asahi_attachment)", attachment::RECORD.bytes),
        ("sizeof(struct drm_asahi_cmd_header)", command_header::RECORD.bytes),
        ("sizeof(struct drm_asahi_cmd_compute)", compute_command::RECORD.bytes),
        ("offsetof(struct drm_asahi_cmd_compute, ts)", byte(compute_command::TIME_START)),
        ("sizeof(struct drm_asahi_cmd_render)", render_command::RECORD.bytes),
        ("offsetof(struct drm_asahi_cmd_render, zls_ctrl)", byte(render_command::ZLS_CONTROL)),
        ("offsetof(struct drm_asahi_cmd_render, isp_merge_upper_x)", byte(render_command::MERGE_X)),
        ("offsetof(struct drm_asahi_cmd_render, bg)", byte(render_command::BACKGROUND)),
        ("offsetof(struct drm_asahi_cmd_render, isp_bgobjvals)", byte(render_command::CLEAR_STENCIL)),
        ("offsetof(struct drm_asahi_cmd_render, ts_vtx)", byte(render_command::VERTEX_TIME_START)),
    ]
}

/// The folder with `drm/asahi_drm.h`: the system's, or that of the environment of the device.
fn headers() -> Option<PathBuf> {
    let environment = std::env::var_os("AGX_ENVIRONMENT").map(|root| PathBuf::from(root).join("usr/include"));
    let folders = environment.into_iter().chain([PathBuf::from("/usr/include")]);
    folders.into_iter().find(|folder| folder.join("drm/asahi_drm.h").exists())
}

/// What a C program prints that includes the headers.
fn printed(folder: &std::path::Path, expressions: &[&str]) -> std::io::Result<String> {
    let mut source = String::from(
        "#include <fcntl.h>\n#include <stddef.h>\n#include <stdio.h>\n#include <drm/drm.h>\n#include <drm/asahi_drm.h>\n\
         #include <linux/dma-buf.h>\n#include <linux/sync_file.h>\nint main(void) {\n",
    );
    for expression in expressions {
        source.push_str(&format!("printf(\"%llu\\n\", (unsigned long long)({expression}));\n"));
    }
    source.push_str("return 0; }\n");
    let program = std::env::temp_dir().join(format!("agx-node-header-{}", std::process::id()));
    let mut compiler = Command::new("cc")
        .args(["-x", "c", "-", "-isystem"])
        .arg(folder)
        .arg("-o")
        .arg(&program)
        .stdin(Stdio::piped())
        .spawn()?;
    if let Some(mut input) = compiler.stdin.take() {
        input.write_all(source.as_bytes())?;
    }
    assert!(compiler.wait()?.success(), "the header does not compile");
    let output = Command::new(&program).output()?;
    std::fs::remove_file(program)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn requests_and_structures_are_those_of_the_header() {
    let Some(folder) = headers() else {
        eprintln!("skipped: there is no drm/asahi_drm.h (Debian package linux-libc-dev of 6.16 or later)");
        return;
    };
    let (requests, places) = (requests(), places());
    let names = requests.iter().map(|(name, ..)| *name).chain(places.iter().map(|(name, _)| *name));
    let names: Vec<&str> = names.collect();
    let printed = match printed(&folder, &names) {
        Ok(printed) => printed,
        Err(error) => {
            eprintln!("skipped: cc cannot be run: {error}");
            return;
        }
    };
    let found: Vec<u64> = printed.lines().map(|line| line.parse().expect("a number")).collect();
    let wanted = requests.iter().map(|(_, number, bytes)| opcode(*number, *bytes) as u64);
    let wanted: Vec<u64> = wanted.chain(places.iter().map(|(_, place)| *place as u64)).collect();
    for ((name, found), wanted) in names.iter().zip(&found).zip(&wanted) {
        // The kernel's structures grow at their end, and it accepts shorter ones: lengths are in bits 16 to 29.
        let is_request = name.starts_with("DRM_IOCTL_SYNCOBJ");
        let mask = if is_request { !0x3fff_0000 } else { u64::MAX };
        assert_eq!(found & mask, wanted & mask, "{name}: {found:#x}, expected {wanted:#x}");
    }
    assert_eq!(found.len(), wanted.len());
}
