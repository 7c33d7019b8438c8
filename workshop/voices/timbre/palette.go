package timbre

import (
	"vaak/voice"
)

// base is a variant of the library that a voice may be made of.
type base struct {
	variant string // the file in voices/!v
	gender  voice.Gender
	volume  int // that brings it about to the target
}

// palette are the variants that sound like a person. The library has 101 and
// more than two thirds of them are left out:
//
//   - whisper, whisperf, croak, grandma, grandpa, aunty, caleb, sandro: breath,
//     creak or tremor in place of a steady voice;
//   - klatt to klatt6, adam, announcer, benjamin, david, edward, edward2, robosoft
//     to robosoft3, UniRobot: another synthesizer, which is not built in
//     everywhere;
//   - robosoft4 to robosoft8, anikaRobot, Demonic, Alicia, Marco, pablo,
//     RicishayMax to RicishayMax3: an echo that is heard as a room;
//   - anika, Andrea, antonio, pedro, Storm, fast: they change a language's own
//     rhythm, its speed or the language itself; zac is a toy's voice;
//   - shelby, norbert, travis, kaukovalta: they move vowels. A mid vowel with
//     formants at 500 and 1,500 Hz has the second three times as high as the first;
//     where that changes by a quarter or more (1.56 times with shelby), it is
//     another vowel. m2, gustave, marcelo: they pull the two apart by a fifth;
//   - Andy, AnxiousAndy, Lee, Jacky, ed, boris, Tweaky: formants that no mouth has,
//     at 0, 15 or 290 % of their place;
//   - iven, iven3, Henrique, Hugo, Diogo, michel, Gene2, robert, rob, quincy, steph2,
//     steph3, m6: so near to one that is here that they add nothing to it; and
//     "Mr serious", whose name has a space and cannot be asked for.
var palette = []base{
	{"Annie", voice.Female, 58}, {"belinda", voice.Female, 46}, {"f1", voice.Female, 52},
	{"f2", voice.Female, 50}, {"f3", voice.Female, 56}, {"f4", voice.Female, 52},
	{"f5", voice.Female, 57}, {"linda", voice.Female, 46}, {"steph", voice.Female, 61},

	{"Alex", voice.Male, 67}, {"Denis", voice.Male, 106}, {"Gene", voice.Male, 41},
	{"Mario", voice.Male, 48}, {"Michael", voice.Male, 50}, {"Mike", voice.Male, 67},
	{"Nguyen", voice.Male, 77}, {"iven2", voice.Male, 33}, {"iven4", voice.Male, 68},
	{"john", voice.Male, 31}, {"m1", voice.Male, 70}, {"m3", voice.Male, 57},
	{"m4", voice.Male, 63}, {"m5", voice.Male, 65}, {"m7", voice.Male, 50},
	{"m8", voice.Male, 105}, {"max", voice.Male, 70}, {"miguel", voice.Male, 48},
	{"paul", voice.Male, 26}, {"victor", voice.Male, 112},
}
