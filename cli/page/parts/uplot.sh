#!/bin/sh
# SPDX-License-Identifier: MIT
# uplot.sh DIRECTORY: lets npm fetch uPlot, which draws the charts of `evenkeel report`, and leaves it there as uplot.js,
# with its licence, and uplot.css. Both are empty where it cannot be had: the page says then that it has no charts.
set -eu
name=uplot-1.6.32
sha512=2883159c6ebccefbb95d751b0b82d010f9e1c0ec41b8bc96d401eda66e882935c89a46cb824332fa369b8cb8122cc6ac36e186cd09bf7a9ded3a4c93c6989023
mkdir -p "$1"
cd "$1"
: >uplot.js
: >uplot.css
without() {
    echo "  charts  $1: evenkeel report is built without charts (make charts tries again)" >&2
    exit 0
}

command -v npm >/dev/null || without "npm is not installed, which fetches uPlot"
npm pack --silent --fetch-retries=1 --fetch-timeout=20000 "uplot@${name#uplot-}" >/dev/null 2>&1 || without "npm could not fetch $name"
echo "$sha512  $name.tgz" | sha512sum --check --status || without "$name is not the one that is known here"
tar -xzf "$name.tgz"
{
    echo '/*!'
    cat package/LICENSE
    echo '*/'
    cat package/dist/uPlot.iife.min.js
} >uplot.js
cat package/dist/uPlot.min.css >uplot.css
rm -r package "$name.tgz"
