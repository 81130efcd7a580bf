#!/usr/bin/env bash
# Makes the pictures of docs/reports.md and docs/page.md again; needs Chromium, and npm for the latter.
#
#     docs/images/make.sh
set -euo pipefail
cd "$(dirname "$0")/../.."

for pair in "cargo:rustup, https://rustup.rs" "chromium:apt-get install chromium"; do
    command -v "${pair%%:*}" >/dev/null || { echo "images: ${pair%%:*} is not installed: ${pair#*:}" >&2; exit 69; }
done

work=$(mktemp --directory)
trap 'rm -r "$work"' EXIT
cargo run --quiet --release -p agxc -- compile --emit html agxc/shaders/mandelbrot.wgsl -o "$work/report.html"

# Selects the line of the recurrence, and removes what is above source and assembly.
cat >"$work/script" <<'SCRIPT'
<script>
const line = document.querySelector('#source tr[data-l$=":41"]');
line.click();
const heading = [...document.querySelectorAll('h2')].find((found) => found.textContent.startsWith('Source'));
while (heading.previousElementSibling) heading.previousElementSibling.remove();
document.querySelector('#source').scrollTop = line.offsetTop - 250;
</script>
SCRIPT
cat "$work/report.html" "$work/script" >"$work/selected.html"

picture() { # FILE HEIGHT PICTURE
    chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" \
        --virtual-time-budget=3000 --window-size="1280,$2" --screenshot="docs/images/$3" "file://$work/$1" 2>"$work/log" ||
        { cat "$work/log" >&2; echo "images: chromium failed" >&2; exit 1; }
}
picture report.html 900 report.png
picture selected.html 600 report-source.png

if command -v npm >/dev/null; then
    make page
    CHROMIUM=$(command -v chromium) node page/test/pictures.mjs target/page docs/images
else
    echo "images: npm is not installed; the pictures of docs/page.md are as they were" >&2
fi
