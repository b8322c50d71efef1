#!/bin/sh
# Installs the claude versions the end-to-end tests run against and prints one
# line per version: "VERSION PATH-OF-THE-BINARY".
#
#   install.sh [VERSION...]          default: the new and the old version
#
# They go to $CCMUX_E2E_CACHE, by default .cache/claude at the top of the
# repository. A version that is there already costs nothing. The work is done
# in a folder beside and moved into place whole, so an interrupted download
# leaves no half binary, and two runs at once do not disturb each other.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=${CCMUX_E2E_CACHE:-$(cd "$here/../../.." && pwd)/.cache/claude}
[ $# -gt 0 ] || set -- 2.1.332 2.1.197

case $(uname -s) in
Linux) os=linux ;;
Darwin) os=darwin ;;
*) echo "install.sh: no claude package for $(uname -s); the end-to-end tests run on Linux and macOS" >&2; exit 1 ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=x64 ;;
aarch64 | arm64) arch=arm64 ;;
*) echo "install.sh: no claude package for $(uname -m)" >&2; exit 1 ;;
esac
package=@anthropic-ai/claude-code-$os-$arch

mkdir -p "$cache"
for version; do
	binary=$cache/$version/node_modules/$package/claude
	if [ ! -x "$binary" ]; then
		command -v npm >/dev/null || {
			echo "install.sh: npm is missing: the end-to-end tests fetch claude $version with it; install Node.js (any recent version), or put the binary at $binary" >&2
			exit 1
		}
		work=$(mktemp -d "$cache/.install-XXXXXX")
		trap 'rm -rf "$work"' EXIT INT TERM
		npm install --no-save --no-audit --no-fund --loglevel=error \
			--prefix "$work" "$package@$version" >&2
		[ -x "$work/node_modules/$package/claude" ] || {
			echo "install.sh: $package@$version holds no file named claude" >&2
			exit 1
		}
		# A second run may have been faster: then its copy stays.
		if [ ! -x "$binary" ]; then
			rm -rf "${cache:?}/$version"
			mv "$work" "$cache/$version"
		fi
		rm -rf "$work"
		trap - EXIT INT TERM
	fi
	echo "$version $binary"
done
