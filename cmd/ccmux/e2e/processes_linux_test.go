//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// withHome finds the processes whose environment has this HOME.
func withHome(home string) []Process {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	var found []Process
	for _, dir := range dirs {
		// A process may end while we look at it: then it is not found.
		env, err := os.ReadFile(dir + "/environ")
		if err != nil || !strings.Contains("\x00"+string(env), "\x00HOME="+home+"\x00") {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		cmd, err := os.ReadFile(dir + "/cmdline")
		if err != nil {
			continue
		}
		found = append(found, Process{pid, strings.TrimRight(strings.ReplaceAll(string(cmd), "\x00", " "), " ")})
	}
	return found
}
