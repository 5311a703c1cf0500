// Package drawing draws measurements as SVG pictures: the pictures of package
// plot, the strips of a comparison with the change and its interval against the
// ±δ band, and a value against a parameter with its power law.
package drawing
