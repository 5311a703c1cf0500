//go:build !race

package sequential

const raceDetector = false
