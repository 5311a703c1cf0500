// Package order sorts the few numbers of a calibration, in a tenth of the machine
// code that package slices takes: it is in every program that times laps.
package order

// Sort puts values into rising order (Shell 1959, with the gaps of Gonnet and
// Baeza-Yates 1991). NaN may be anywhere.
func Sort(values []float64) {
	for gap := len(values) / 2; gap > 0; gap = (gap*5 + 5) / 11 {
		for i := gap; i < len(values); i++ {
			v, j := values[i], i
			for ; j >= gap && values[j-gap] > v; j -= gap {
				values[j] = values[j-gap]
			}
			values[j] = v
		}
	}
}

// Summary sorts values and returns the least, the median and the value that nine
// tenths do not reach.
func Summary(values []float64) (least, median, most float64) {
	Sort(values)
	n := len(values)
	return values[0], values[n/2], values[n*9/10]
}
