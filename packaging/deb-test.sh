#!/usr/bin/env bash
# Installs the Debian packages into a fresh Debian tree and runs what they contain.
#
#     packaging/deb-test.sh DIR PACKAGES
#
# DIR gets two trees: `base`, which debootstrap creates once, and `run`, a copy of it for this run. PACKAGES is the folder with the
# `.deb` files. Needs root, debootstrap, and a Debian mirror that apt can reach (DEBIAN_MIRROR, or the mirror of this system).
set -euo pipefail

(($# == 2)) || { echo "usage: deb-test.sh DIR PACKAGES" >&2; exit 64; }
mkdir -p "$1"
dir=$(realpath "$1")
packages=$(realpath "$2")
compgen -G "$packages/agxc_*.deb" >/dev/null || { echo "deb-test: no packages in $packages: make deb builds them" >&2; exit 66; }
command -v debootstrap >/dev/null || { echo "deb-test: debootstrap is not installed" >&2; exit 69; }

# The packages fit the release that built them.
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
if ! [[ -e $dir/base/complete ]]; then
    mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')}
    debootstrap --variant=minbase "$release" "$dir/base" "$mirror" >"$dir/debootstrap.log"
    # Do not start services inside the tree.
    printf '#!/bin/sh\nexit 101\n' >"$dir/base/usr/sbin/policy-rc.d"
    chmod +x "$dir/base/usr/sbin/policy-rc.d"
    touch "$dir/base/complete"
fi
run=$dir/run
[[ ! -e $run || -e $run/complete ]] || { echo "deb-test: $run is not a tree of this script" >&2; exit 73; }
rm -rf "$run"
cp -a "$dir/base" "$run"
mkdir "$run/packages"
cp "$packages"/*.deb "$run/packages"

# Runs a line of shell in the tree, with its own /proc.
in_run() {
    unshare --mount --pid --fork --mount-proc="$run/proc" chroot "$run" /usr/bin/env -i DEBIAN_FRONTEND=noninteractive \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root XDG_RUNTIME_DIR=/tmp sh -c "cd /root && $1"
}
in_run "apt-get update --quiet" >"$dir/apt.log"
# The first of the two commands of a user; the second is `agx-vulkan vulkaninfo`.
in_run "apt-get install --yes --quiet --no-install-recommends /packages/*.deb vulkan-tools" >>"$dir/apt.log" 2>&1 ||
    { tail -n 20 "$dir/apt.log"; echo "deb-test: the packages cannot be installed" >&2; exit 1; }

failed=0
# Checks that a line of shell succeeds and that its output contains a text: `check NAME TEXT LINE`.
check() {
    local output
    if output=$(in_run "$3" 2>&1) && [[ $output == *"$2"* ]]; then
        echo "ok      $1"
    else
        failed=1
        echo "FAILED  $1: expected \"$2\" from: $3"
        tail -n 20 <<<"$output" | sed 's/^/        /'
    fi
}
version=$(dpkg-deb --field "$packages"/agxc_*.deb Version)
kernel="agx-kit --level 3 --yes --seconds 60"
shader='@group(0) @binding(0) var<storage, read_write> d: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { d[i] = 2.0 * d[i]; }'

check "the command line" "agxc $version" "agxc --version"
check "a shader runs" "" "echo '$shader' | agxc run - --kind wgsl --buffer 0.0=f32:1,2,3,4 --expect 0.0=f32:2,4,6,8"
check "the driver, in process" "(agxc)" "agx-vulkan vulkaninfo --summary"
check "the driver, on a node" "(agxc)" "AGX_DRIVER=node agxc device -- agx-vulkan vulkaninfo --summary"
check "the driver needs a node if it is told so" "no-device" \
    "AGX_DRIVER=node agx-vulkan vulkaninfo --summary || echo no-device"
check "no other program finds the driver" "no-device" "vulkaninfo --summary || echo no-device"
check "the kit lists experiments" "30 faults" "agx-kit --list"
check "the kit, on a node" "report.md" "agxc device --strict no -- $kernel && grep -q 'lanes same' agx-kit-report/report.md && \
    ! grep -E '^experiment .* (failed|late|kit)' agx-kit-report/report.md"
check "a report is read" "30 experiments: 30 same" "agxc kit-import agx-kit-report/report.md"

in_run "apt-get install --yes --quiet --no-install-recommends man-db xvfb xauth gcc libc6-dev pkg-config bash-completion zsh fish" \
    >>"$dir/apt.log" 2>&1 || { tail -n 20 "$dir/apt.log"; exit 1; }
check "vkcube in a window, in process" "" "xvfb-run -a agx-vulkan vkcube --c 10"
check "vkcube in a window, on a node" "" "AGX_DRIVER=node xvfb-run -a agxc device -- agx-vulkan vkcube --c 10"
for page in agxc agxc-compile agxc-kit-import agxc-device agx-vulkan agx-kit; do
    check "the manual page of $page" "NAME" "MANROFFSEQ= man --warnings $page 2>&1"
done
check "completions of bash" "compile" \
    "bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader agxc; COMP_WORDS=(agxc comp); COMP_CWORD=1; \
    COMP_LINE=\"agxc comp\"; COMP_POINT=9; \$(complete -p agxc | sed \"s/.*-F \\([^ ]*\\).*/\\1/\") agxc comp agxc; echo \${COMPREPLY[@]}'"
check "completions of zsh" "_agxc" "zsh -c 'autoload -U compinit; compinit -u; echo \$_comps[agxc]'"
check "completions of fish" "compile" "fish -c 'complete -C \"agxc comp\"'"

cat >"$run/root/program.c" <<'C'
#include <agx.h>
#include <stdio.h>
int main(void) {
    printf("interface %u\n", (unsigned)agx_interface_version());
    return agx_interface_version() != AGX_INTERFACE_VERSION;
}
C
check "a program with the shared library" "interface" \
    "gcc program.c \$(pkg-config --cflags --libs agx) -o shared && ldd shared | grep -q libagx && ./shared"
check "a program with the static library" "interface" \
    "gcc program.c \$(pkg-config --cflags agx) -Wl,-Bstatic -lagx -Wl,-Bdynamic \$(pkg-config --static --libs-only-l agx | sed s/-lagx//) -o static && ./static"
check "the version for pkg-config" "$version" "pkg-config --modversion agx"

in_run "apt-get purge --yes --quiet agxc agxc-device agx-vulkan-driver agx-kit libagx4 libagx-dev" >>"$dir/apt.log" 2>&1
check "nothing is left after removal" "" "! find /usr /etc /var/lib -name '*agx*' -not -path '/var/lib/dpkg/*' | grep ."
exit $failed
