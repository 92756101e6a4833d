#!/bin/sh
# Makes localhost/census-go of this machine's Go and busybox: an image that can build
# deploy/Dockerfile (--build-arg GO_IMAGE=localhost/census-go) where registries of images
# cannot be reached. Its caches are /cache/mod and /cache/build, for those of this machine
# as volumes. Needs buildah, as root, and busybox-static.
set -eu
busybox=$(command -v busybox)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/bin" "$root/usr/local" "$root/etc/ssl/certs" "$root/root" "$root/tmp"
cp "$busybox" "$root/bin/busybox"
for tool in sh mkdir cp chmod chown echo; do ln -s busybox "$root/bin/$tool"; done
cp -a "$(go env GOROOT)" "$root/usr/local/go"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
echo 'root:x:0:0:root:/root:/bin/sh' > "$root/etc/passwd"

box=$(buildah from scratch)
buildah copy --quiet "$box" "$root" /
buildah config --env PATH=/usr/local/go/bin:/bin --env GOTOOLCHAIN=local --env "GOPROXY=$(go env GOPROXY)" \
  --env GOMODCACHE=/cache/mod --env GOCACHE=/cache/build "$box"
buildah commit --quiet --rm "$box" localhost/census-go
