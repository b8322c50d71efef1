//go:build race

package vt

// raceDetector says that the tests run some ten times slower.
const raceDetector = true
