//go:build race

package router

// raceDetector says that the tests run some ten times slower.
const raceDetector = true
