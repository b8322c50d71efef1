//go:build e2e

package e2e

import (
	"os/exec"
	"strconv"
	"strings"
)

// withHome finds processes by ps: there is no /proc.
func withHome(home string) []Process {
	out, err := exec.Command("ps", "-axEww", "-o", "pid=,command=").Output()
	if err != nil {
		return nil
	}
	var found []Process
	for line := range strings.Lines(string(out)) {
		pid, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(pid)
		if err == nil && strings.Contains(rest+" ", " HOME="+home+" ") {
			found = append(found, Process{n, rest})
		}
	}
	return found
}
