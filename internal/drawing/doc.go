// Package drawing draws measurements as SVG pictures: the pictures of package
// plot, and the strips of a comparison. A strip shows the change and its
// interval against the ±δ band.
package drawing
