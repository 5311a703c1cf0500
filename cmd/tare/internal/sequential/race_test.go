//go:build race

package sequential

const raceDetector = true
