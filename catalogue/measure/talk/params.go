package talk

// VAD is the name and version of the method by which speech is told from silence.
const VAD = "energy-hyst/2"

// Time is counted in frames. Levels are whole hundredths of a decibel: they fit into int16,
// and histograms of them are exact.
const (
	stepsPerS  = 200                  // energy is summed over steps of 5 ms
	hopSteps   = 2                    // a frame begins every 10 ms
	frameSteps = 5                    // a frame lasts 25 ms
	framesPerS = stepsPerS / hopSteps // 100
	hopS       = 1.0 / framesPerS     // s
	db         = 100                  // one decibel, in units of a level
)

// The band in which energy is measured, in Hz: that of the telephone, without mains hum.
const (
	bandLowHz  = 200
	bandHighHz = 3400
	// bandCap keeps the upper edge under half the sample rate, as a share of that rate.
	bandCap = 0.45
)

// How floor and peak are found.
const (
	// steadyFrames is for how long a level is steady where nobody speaks, and steadyRange
	// by how much it may vary meanwhile.
	steadyFrames = 10
	steadyRange  = 5 * db
	// A floor needs at least steadyLeast steady frames, and steadyShare of all frames that
	// are not digital silence.
	steadyLeast = 30
	steadyShare = 0.004
	// steadyBelow is how far a floor is below the loudest levels at least.
	steadyBelow = 10 * db
	// steadySharp is how much more frequent levels at the floor are than those around it.
	steadySharp = 2
	// floorQuantile gives the floor if no level is steady.
	floorQuantile = 0.10
	// A recording with at least silenceShare of digital silence in which no level is steady
	// has no noise; its floor is then assumed to be assumedSpan below its peak. Steady
	// frames at least steadyUnder below the peak are a sign of noise; at most steadyNone of
	// all frames may be such.
	silenceShare = 0.05
	assumedSpan  = 60 * db
	steadyUnder  = 25 * db
	steadyNone   = 0.02
	// peakQuantile of the levels that rise above the floor is the peak.
	peakQuantile = 0.95
	// The floor is found for each block of driftFrames, from that block and driftBlocks on
	// either side. It is up to driftMost above the floor of the whole recording, and at
	// least driftSpan below the peak.
	driftFrames   = 5 * framesPerS
	driftBlocks   = 2
	driftQuantile = 0.05
	driftMost     = 20 * db
	driftSpan     = 15 * db
)

// When speech begins and ends.
const (
	spanLeast   = 6 * db // from floor to peak; with less there is no speech
	upLeast     = 6 * db // speech begins this far above the floor,
	upShare     = 0.35   // or this share of the span, whichever is more
	downLeast   = 4 * db
	downShare   = 0.25
	hangFrames  = 10 // a pause of up to this is within speech
	dropFrames  = 8  // a shorter sound is not speech,
	burstFrames = 5  // unless it has this length
	nearFrames  = 20 // and is this near to speech
	// An edge moves out to where the level meets the noise: where the mean of edgeMean
	// frames is edgeOver above the edgeQuantile of such means in noise. It moves by at most
	// edgeFrames.
	edgeFrames   = 30
	edgeMean     = 5
	edgeQuantile = 0.99
	edgeOver     = db / 2
	// guardFrames on either side of speech are not used as noise.
	guardFrames = 20
	// onsetS and offsetS are from the beginning of the first and of the last frame of
	// speech to where speech begins and ends.
	onsetS  = 0.017
	offsetS = 0.008
	// speechRange is how far below its peak speech is audible. Noise hides a part of that
	// range, up to lostMost, and each hidden decibel hides 0.2 ms of an edge.
	speechRange = 50 * db
	lostByLevel = 0.0002 / db // s
	lostMost    = 25 * db
	// joinS is the shortest silence that ends an inter-pausal unit, and unitS the shortest
	// unit.
	joinS = 0.200
	unitS = 0.100
)

// When two channels hold one speaker each.
const (
	// Crosstalk of c dB in both directions without delay correlates by 2·10^(c/20): 0.2 at
	// -20 dB, 0.4 at -14 and 0.5 at -12. Two speakers who are panned by 60 % to either
	// side leak by -12 dB and correlate by 0.47.
	correlationMost = 0.4
	leakageMost     = -12 * db
	// delayS is the largest delay at which channels are compared, in seconds.
	delayS = 0.005
	// leakTop is the share of the loudest frames of a channel that show its leakage, and
	// leakLeast how many of them there must be.
	leakTop   = 0.30
	leakLeast = 20
	// Differences of level up to leakNear above their leakQuantile are leakage; larger ones
	// are speech.
	leakQuantile = 0.25
	leakNear     = 6 * db
	// leakSeen is how far above the noise leakage must be to be removed.
	leakSeen = 3 * db
	// leakHidden is how far below the noise leakage no longer adds to it.
	leakHidden              = 6 * db
	marginLeast, marginMost = 3 * db, 8 * db
	marginOver              = 2 * db
	marginQuantile          = 0.95
	// Up to maskFrames between speech count as speech if leakage hides maskShare of them.
	maskFrames = 40
	// widenFrames of an edge that leakage hides count as speech.
	widenFrames = 2
	maskShare   = 0.7
	// An echo is up to echoFrames late. Levels are compared where the channel is echoUnder softer
	// than the other. They must correlate by echoLeast, and by echoOver more than without a lag.
	echoFrames = 50
	echoUnder  = 6 * db
	echoLeast  = 0.4
	echoOver   = 0.15
	leakHold   = 1      // frames on either side for which leakage keeps its level
	leakDecay  = 8 * db // by which it falls with each frame after that
)

// How turns are counted.
const (
	backchannelS  = 1.0   // longest backchannel
	isolationS    = 1.0   // silence of the speaker on both sides, in which the other speaks
	interruptMs   = -200  // offset from which a start is overlapped
	histogramFrom = -2000 // ms
	histogramBin  = 100   // ms
	histogramBins = 40
)

// params returns the parameters behind a result by name, for [catalogue.Method].
func params() map[string]float64 {
	return map[string]float64{
		"bandLowHz": bandLowHz, "bandHighHz": bandHighHz,
		"hopMs": 1000 * hopS, "windowMs": 1000 * frameSteps / stepsPerS,
		"spanLeastDb": spanLeast / db,
		"upDb":        upLeast / db, "upShare": upShare,
		"downDb": downLeast / db, "downShare": downShare,
		"peakQuantile": peakQuantile, "floorQuantile": floorQuantile,
		"hangoverMs": 1000 * hangFrames * hopS, "dropMs": 1000 * dropFrames * hopS,
		"edgeMs": 1000 * edgeFrames * hopS, "edgeQuantile": edgeQuantile,
		"joinMs": 1000 * joinS, "unitMs": 1000 * unitS,
		"correlationMost": correlationMost, "leakageMostDb": leakageMost / db,
		"maskMs": 1000 * maskFrames * hopS, "widenMs": 1000 * widenFrames * hopS,
		"echoMs": 1000 * echoFrames * hopS, "delayMs": 1000 * delayS, "backchannelMs": 1000 * backchannelS,
		"isolationMs": 1000 * isolationS, "overlappedStartMs": interruptMs,
	}
}
