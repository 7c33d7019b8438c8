package talk

// VAD is the name and version of how speech is told from silence.
const VAD = "energy-hyst/1"

// Time is counted in frames; levels are in hundredths of a decibel.
const (
	stepsPerS  = 200                  // energies are summed over steps of 5 ms
	hopSteps   = 2                    // a frame begins every 10 ms
	frameSteps = 5                    // and lasts 25 ms
	framesPerS = stepsPerS / hopSteps // 100
	hopS       = 1.0 / framesPerS     // s
	db         = 100                  // levels in a decibel
)

// Band in which energy is measured, in Hz: the telephone's, less what hum has.
const (
	bandLowHz  = 200
	bandHighHz = 3400
	// bandCap keeps the upper edge below half of the rate.
	bandCap = 0.45
)

// What floor and peak are told from.
const (
	// restFrames is how long a level holds still where nobody speaks; restRange how
	// still.
	restFrames = 10
	restRange  = 5 * db
	// restLeast is how many frames make a floor, and restShare which share of all
	// that are not digital silence.
	restLeast = 30
	restShare = 0.004
	// restBelow is how far below the loudest a floor is at least.
	restBelow = 10 * db
	// restSharp is how much denser levels are at the floor than above and below.
	restSharp = 2
	// floorQuantile is the floor where no level holds still.
	floorQuantile = 0.10
	// silenceShare of digital silence says that a recording in which no level holds
	// still has no noise; its floor is then assumedSpan under its peak. Frames at
	// rest, restUnder and more below the peak, are a sign of noise: at most
	// restNone of all.
	silenceShare = 0.05
	assumedSpan  = 60 * db
	restUnder    = 25 * db
	restNone     = 0.02
	// peakQuantile of what rises above the floor is the peak.
	peakQuantile = 0.95
	// driftFrames is how long a floor of its own lasts, taken from as many blocks as
	// driftBlocks says on either side. It is up to driftMost above the lowest, and
	// no nearer to the peak than driftSpan.
	driftFrames   = 5 * framesPerS
	driftBlocks   = 2
	driftQuantile = 0.05
	driftMost     = 20 * db
	driftSpan     = 15 * db
)

// When speech begins and ends.
const (
	spanLeast   = 6 * db // from floor to peak; no speech under it
	upLeast     = 6 * db // above the floor
	upShare     = 0.35   // of the span above the floor
	downLeast   = 4 * db
	downShare   = 0.25
	hangFrames  = 10 // silence within speech
	dropFrames  = 8  // shorter is no speech,
	burstFrames = 5  // unless it is as long as this
	nearFrames  = 20 // and as near to speech
	// Edges reach out to where the level meets the noise: the mean of edgeMean
	// frames is edgeOver above the edgeQuantile of such means, for up to edgeFrames.
	edgeFrames   = 30
	edgeMean     = 5
	edgeQuantile = 0.99
	edgeOver     = db / 2
	// guardFrames next to speech are not taken for noise.
	guardFrames = 20
	// onsetS and offsetS are where, from the beginning of the first and last frame
	// of speech, it begins and ends.
	onsetS  = 0.017
	offsetS = 0.008
	// speechRange is how far below the peak speech is heard. Of what noise hides of
	// that, up to lostMost, each decibel hides 0.2 ms of an edge.
	speechRange = 50 * db
	lostByLevel = 0.0002 / db // s
	lostMost    = 25 * db
	// joinS is the silence that ends an inter-pausal unit, and unitS its least length.
	joinS = 0.200
	unitS = 0.100
)

// When two channels hold one speaker each.
const (
	// Crosstalk of c dB without delay, both ways, correlates by 2·10^(c/20): 0.2 at
	// -20 dB, 0.4 at -14 and 0.5 at -12. Speakers panned by 60% to either side, who
	// leak -12 dB, correlate by 0.47.
	correlationMost = 0.4
	leakageMost     = -12 * db
	// delayS is the delay up to which channels are compared.
	delayS = 0.005
	// leakTop is the share of a channel's loudest frames that tell its leakage.
	leakTop   = 0.30
	leakLeast = 20 // frames
	// leakNear is how far above their leakQuantile differences of level count as
	// leakage, and not as speech.
	leakQuantile = 0.25
	leakNear     = 6 * db
	// leakSeen is how far above the noise leakage must be to be kept out.
	leakSeen = 3 * db
	// leakHidden is how far below the noise leakage does not add to it.
	leakHidden              = 6 * db
	marginLeast, marginMost = 3 * db, 8 * db
	marginOver              = 2 * db
	marginQuantile          = 0.95
	// maskFrames of silence are not told from speech where leakage hides maskShare
	// of them.
	maskFrames = 40
	// widenFrames of an edge that leakage hides are taken for speech.
	widenFrames = 2
	maskShare   = 0.7
	leakHold    = 1      // frames on either side
	leakDecay   = 8 * db // by frame after that
)

// How turns are told.
const (
	backchannelS  = 1.0   // longest
	isolationS    = 1.0   // own silence on both sides, and the other's speech within
	interruptMs   = -200  // an overlapped start
	histogramFrom = -2000 // ms
	histogramBin  = 100   // ms
	histogramBins = 40
)

// params are the figures behind a result, by name, for [catalogue.Method].
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
		"delayMs": 1000 * delayS, "backchannelMs": 1000 * backchannelS,
		"isolationMs": 1000 * isolationS, "overlappedStartMs": interruptMs,
	}
}
