//go:build race

package judge

const raceDetector = true
