#!/bin/sh
# Runs a program in a window, and saves the picture of the compositor: weston, which draws with Mesa's OpenGL on the device.
#
#     window.sh wayland|x11 SAVED PROGRAM [ARGUMENT]...
#
# x11 is an X server in a window of the compositor. The program finds the device as a render node, unless it uses lavapipe.
set -eu
system=$1 saved=$2
shift 2
folder=$(mktemp -d /tmp/window.XXXXXX)
export XDG_RUNTIME_DIR="$folder" HOME="$folder"
shim=/opt/agx/libagx_device_shim.so
# Libraries for the program alone: with a slow clock, nothing here would end.
preload=${LD_PRELOAD:-}
unset LD_PRELOAD
end() {
    # They may have ended already.
    kill $children 2>/dev/null || true
    wait
    rm -rf "$folder"
}
children=
trap end EXIT

# Waits for a socket, or a file with contents: `appears NAME FILE`.
appears() {
    tries=0
    until [ -S "$2" ] || [ -s "$2" ]; do
        tries=$((tries + 1))
        [ $tries -lt 200 ] || { echo "$1 does not start" >&2; cat "$folder"/*.log >&2; exit 1; }
        sleep 0.1
    done
}
# No clock, no pictures, no fading.
cat >"$folder/weston.ini" <<'INI'
[shell]
panel-position=none
background-color=0xff103050
locking=false
animation=none
startup-animation=none
close-animation=none
focus-animation=none
INI
# Runs a program on the device without the variables for the program in the window.
alone() {
    env -i PATH="$PATH" HOME="$folder" XDG_RUNTIME_DIR="$folder" WAYLAND_DISPLAY="${WAYLAND_DISPLAY:-}" LD_PRELOAD=$shim \
        AGX_DEVICE_REPORT="$folder/device.txt" AGX_DEVICE_STRICT=no "$@"
}
alone weston --backend=headless --renderer=gl --width=320 --height=240 \
    --socket=window --idle-time=0 --debug --config="$folder/weston.ini" --log="$folder/weston.log" >/dev/null 2>&1 &
children=$!
appears weston "$folder/window"
export WAYLAND_DISPLAY=window
case $VK_DRIVER_FILES in
*lvp*) ;;
*)
    preload=$shim${preload:+:$preload}
    export AGX_DRIVER=node
    ;;
esac
if [ "$system" = x11 ]; then
    # It writes its number when it is ready.
    alone Xwayland -displayfd 3 -fullscreen -geometry 320x240 -noreset 3>"$folder/number" >"$folder/x.log" 2>&1 &
    children="$children $!"
    appears Xwayland "$folder/number"
    export DISPLAY=":$(cat "$folder/number")"
fi
# The checksum of the compositor's picture, which is then the file `picture.png`.
cd "$folder"
shoot() {
    rm -f wayland-screenshot-*.png
    weston-screenshooter >shot.log 2>&1 || true
    mv wayland-screenshot-*.png picture.png 2>/dev/null || true
    cksum picture.png
}
empty=$(shoot)
LD_PRELOAD=$preload "$@" &
program=$!
children="$children $program"
# The picture is the first that is not that of the empty compositor and does not change.
before=$empty
same=0
while kill -0 $program 2>/dev/null; do
    sleep 0.5
    now=$(shoot)
    if [ "$now" = "$before" ] && [ "$now" != "$empty" ]; then same=$((same + 1)); else same=0; fi
    before=$now
    if [ $same -eq 3 ]; then
        cp picture.png "$saved"
        exit 0
    fi
done
echo "the program ended before its window was still" >&2
exit 1
