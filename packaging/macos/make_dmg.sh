#!/bin/sh
# make_dmg.sh GradViz.app OUT.dmg: signs the bundle, makes a disk image of it and has Apple notarise it.
# SIGN_IDENTITY     "Developer ID Application: …"; without it the bundle is signed ad hoc, and Gatekeeper warns
# NOTARY_PROFILE    a profile that `xcrun notarytool store-credentials` made; without it nothing is sent to Apple
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
app=$1 out=$2
identity=${SIGN_IDENTITY:--}
if [ "$identity" = - ]; then stamp=--timestamp=none; else stamp=--timestamp; fi

sign() {
    codesign --force "$stamp" --options runtime --entitlements "$here/entitlements.plist" --sign "$identity" "$@"
}

# From the inside out: libraries, then the two executables, then the bundle.
find "$app" -type f \( -name '*.so' -o -name '*.dylib' \) -print | while IFS= read -r library; do sign "$library"; done
sign "$app/Contents/MacOS/gradviz-worker"
sign "$app"
codesign --verify --deep --strict "$app"

content=$(mktemp -d)
cp -R "$app" "$content/"
ln -s /Applications "$content/Applications"
hdiutil create -volname GradViz -srcfolder "$content" -ov -format UDZO "$out"
rm -rf "$content"
if [ -n "${SIGN_IDENTITY:-}" ] && [ -n "${NOTARY_PROFILE:-}" ]; then
    codesign --force --timestamp --sign "$identity" "$out"
    xcrun notarytool submit "$out" --keychain-profile "$NOTARY_PROFILE" --wait
    xcrun stapler staple "$out"
fi
