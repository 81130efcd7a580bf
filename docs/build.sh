#!/usr/bin/env bash
# Builds the documentation as a book into target/book, with mdbook of this computer or of the environment that
# device/environment/make.sh made, named by AGX_ENVIRONMENT.
set -euo pipefail
cd "$(dirname "$0")/.."

if command -v mdbook >/dev/null; then
    mdbook build
elif [[ -x ${AGX_ENVIRONMENT:-}/usr/bin/mdbook ]]; then
    inside=$AGX_ENVIRONMENT/tmp/agx-book
    rm -rf "$inside" target/book
    mkdir -p "$inside" target
    cp -r book.toml docs "$inside"
    chroot "$AGX_ENVIRONMENT" mdbook build /tmp/agx-book
    mv "$inside/target/book" target/book
    rm -r "$inside"
else
    echo "book: mdbook is not installed: cargo install mdbook, or apt-get install mdbook from Debian 13 on" >&2
    exit 69
fi
# Every page and every picture is in the book.
while read -r page; do
    [[ -s target/book/${page%.md}.html ]] || { echo "docs/$page is not in the book" >&2; exit 1; }
done < <(cd docs && find . -name '*.md' ! -name SUMMARY.md | sed 's|^\./||')
echo "book: $(find target/book -name '*.html' | wc -l) pages in target/book"
