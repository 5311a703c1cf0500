// Package bounds multiplies two vectors, with or without one bounds check in
// the loop, chosen by a build tag. Time on a shared machine does not show such
// a change of a few instructions. A count does.
//
//	tare compare -units time,instructions .,tags=hinted .,tags=checked ./samples/bounds
package bounds
