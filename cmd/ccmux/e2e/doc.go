// Package e2e runs ccmux with real claude binaries, as a person would in a
// terminal, against a scripted model service. It holds tests only; they need
// the build tag e2e:
//
//	go test -tags e2e -timeout 30m ./cmd/ccmux/e2e/...
//
// CCMUX_E2E_CACHE is where the claude binaries are kept, CCMUX_E2E_BINARY a
// ccmux to test in place of one built from this tree.
//
// What it guarantees: each test has a throw-away HOME, project folders and
// terminal of its own, a clean environment, and its own model service on
// loopback; nothing outside those is written, except claude's own sockets
// under /tmp; every process of a test is ended with it. A test waits for
// conditions and prints all its screens when one does not come true.
//
// What it does not: no account, no network once the binaries are there
// (install.sh puts them into a cache folder), and no judgement of a real
// model's behaviour: the model here says what the script says.
//
// Three kinds of tests live here. facts_*_test.go run claude alone and hold what
// ccmux relies on about it, for each version; when a new version breaks one,
// the code that relies on it is named in the test. double_*_test.go are one
// table that holds the demo agent to be as claude. The others run ccmux.
package e2e
