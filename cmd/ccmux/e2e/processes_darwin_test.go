//go:build e2e

package e2e

func withHome(home string) []Process { return psHome(home) }
