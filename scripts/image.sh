#!/usr/bin/env bash
# Makes an OCI image of the packages in .build-deb on Debian 13: kistd, kistd-keys, kist and the libraries that they load, and no shell. `make image` runs it,
# as root; the image is .build-image/kist.tar, the same bytes from the same packages and the same root.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "image: $1" >&2
  exit 1
}

((EUID == 0)) || fail "it must be root, for it installs the packages below another root"
packages=(.build-deb/kist_*.deb .build-deb/kistd_*.deb)
[[ -f ${packages[0]} ]] || fail "there are no packages; run 'make deb' first"
scripts/deps.sh mmdebstrap
archive=$(scripts/debian-root.sh trixie)
SOURCE_DATE_EPOCH=$(dpkg-parsechangelog --show-field Timestamp)
export SOURCE_DATE_EPOCH
version=$(dpkg-parsechangelog --show-field Version)

work=$(mktemp --directory)
trap 'rm -rf --one-file-system "$work"' EXIT
debian=$work/debian image=$work/image
mkdir "$debian" "$image"
tar --extract --file "$archive" --directory "$debian"
cp "${packages[@]}" "$debian"
chroot "$debian" sh -c 'dpkg --unpack /kist*.deb' >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "the packages"; }

# copy PATH...: these files of the Debian root, and what they are links to.
copy() {
  local path
  for path; do
    mkdir -p "$image$(dirname "$path")"
    cp --dereference --preserve=mode "$debian$path" "$image$path"
  done
}

mkdir -p "$image"/usr/{bin,sbin,lib} "$image"/etc/kist "$image"/var/{lib,log}/kist "$image"/run/kist "$image"/tmp
chmod 1777 "$image/tmp"
chmod 700 "$image/var/lib/kist"
for link in bin sbin lib lib64; do [[ ! -L $debian/$link ]] || cp --no-dereference "$debian/$link" "$image/$link"; done
[[ ! -d $debian/usr/lib64 ]] || mkdir -p "$image/usr/lib64"

programs=(/usr/sbin/kistd /usr/sbin/kistd-keys /usr/bin/kist)
copy "${programs[@]}" /etc/ssl/openssl.cnf /etc/os-release
libraries=$(chroot "$debian" ldd "${programs[@]}" | sed --quiet 's|^[^/]*\(/[^ ]*\) (0x.*|\1|p' | sort --unique)
for library in $libraries; do copy "/usr${library#/usr}"; done
cp --no-dereference "$debian"/usr/lib/ssl "$image/usr/lib/" 2>/dev/null || mkdir -p "$image/usr/lib/ssl"
ln -sf /etc/ssl/openssl.cnf "$image/usr/lib/ssl/openssl.cnf"
printf 'root:x:0:0::/:/nologin\nkist:x:990:990::/:/nologin\n' >"$image/etc/passwd"
printf 'root:x:0:\nkist:x:990:\nkist-clients:x:991:\nkist-operators:x:992:\n' >"$image/etc/group"

# What is in it, for who looks for known flaws: a file for each package, as images without dpkg have them; and the licences.
mkdir -p "$image/var/lib/dpkg/status.d"
owners=$(for library in $libraries; do chroot "$debian" dpkg-query --search "*${library##*/usr}" 2>/dev/null | head -1; done | sed 's/:.*//' | sort --unique)
for package in kist kistd $owners; do
  chroot "$debian" dpkg-query --show --showformat='Package: ${Package}\nStatus: install ok installed\nArchitecture: ${Architecture}\nVersion: ${Version}\nSource: ${source:Package}\nMaintainer: ${Maintainer}\n' \
    "$package" >"$image/var/lib/dpkg/status.d/$package"
  copy "/usr/share/doc/$package/copyright"
done
mkdir -p "$image/usr/share/kist"
cp .build-deb/kist.cdx.json "$image/usr/share/kist/"

mkdir -p .build-image
python3 scripts/image.py "$image" .build-image/kist.tar "kist:$version" "$version"
ls -l .build-image/kist.tar
