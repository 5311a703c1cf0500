// Package tune sets a Linux machine to measure and restores it, whatever
// happens: governor, frequency limits, boost, and a control group that keeps
// other processes off the measured CPUs.
//
// [NewPlan] reads what can be changed, [Start] makes the changes, each written
// to a journal first, [Tuning.Command] starts a command on the CPUs that were
// set apart, [Tuning.Restore] undoes all. [Repair] undoes what a killed
// process left.
package tune
