package catalog

import "github.com/tarebench/tare/internal/finding"

// group is the kinds of one subject.
type group struct {
	title string
	kinds []finding.Kind
}

// groups lists all kinds.
func groups() []group {
	return []group{
		{"Measuring one benchmark", []finding.Kind{
			BelowResolution, finding.OverheadUncertain, BelowOneCycle, GrowsInProcess,
			NotLinear, DependsOnN, FirstCallAllocates, SetupAllocates, TailNeedsLoop, TailBatch, Retains, GoroutinesLeft, MemoryRetained, CollectorPaced, Waited, SlowSetup, NotPlaced, NoPeak, ExitsNonzero, OutputDiffers, InitChanged,
		}},
		{"Running and comparing", []finding.Kind{
			TooFewBlocks, CPUsMissing, TooFewFuncOrders, FuncOrdersAreTheUnit, OneLayout, PartOfStudy,
			LongRunsDiffer, TooBusy, WholeCalls, BlocksCorrelated, NotAfterAdjustment, Accepted, AcceptUnread,
			LikelyCause, ProductionUnread, HotCode, Failed, NotBuilt, NotRun, Missing, NotANumber, IncompleteMetric, Skipped, NotReached, TotalTooShort, TotalReachesNone, PackageNotReached,
			PlainProcesses, NoHandover, OneAtATime, SiblingsFirst, ProcsOverruled, ProcsChanged,
			DisturbedBlocks, ProfileFailed,
		}},
		{"Reading benchmark files", []finding.Kind{
			MalformedLine, FailedRun, TooFewRuns, AllEqual, NotPositive, NotExact, MixedResults,
			NoMedianInterval, SmallestChange, OneSideOnly, SequentialBlocks, DifferentMachines,
			DifferentGo, ConfigDiffers, UnitContradiction,
		}},
		{"The machine", []finding.Kind{
			Governor, Boost, MixedCores, Translated, LowPower, Load, Virtual, Stolen,
			CgroupQuota, CgroupThrottled, ThermalThrottled, Suspended, Swapped,
			ClockCost, Noise, HeavyNoise,
			LockHeld, BuildFlags,
		}},
		{"Counting instructions", []finding.Kind{
			CountFunctions, CountFailed, CountSpread, CountWithoutGC, CountHeapGrew,
			NoValgrind,
		}},
		{"Building variants", []finding.Kind{
			KeptFolder, AbsoluteReplace, OutsideReplace, UnreachableReplace, Workspace, SubmoduleMissing,
			ModUnused, NewTests, OwnTests, NoFuncOrders,
		}},
		{"Is it the same work? (-audit)", Audit()},
		{"The library (package tare)", []finding.Kind{
			finding.NoLaps, finding.LapsBelowResolution, finding.CoarseLaps, finding.UnsteadyCycleClock, finding.LapsRunning, finding.LapsStoppedTwice,
			finding.LapsUnknown, finding.LapsAhead,
		}},
	}
}
