// Package bounds multiplies two vectors, with or without one bounds check in
// the loop, chosen by a build tag: a change of a few instructions that time on
// a shared machine does not show, and a count does.
//
//	tare compare -count-instructions .,tags=hinted .,tags=checked ./samples/bounds
package bounds
