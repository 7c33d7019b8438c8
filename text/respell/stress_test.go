package respell

import "testing"

func TestUnstressed(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"DAH-ta": "dah-ta", "nuh-MUS-tay": "nuh-mus-tay", "KWIN-oh-ah": "kwin-oh-ah", "koo-ber-NET-eez": "koo-ber-net-eez",
		"en-jin-EKS": "en-jin-eks", "ah-NAHL-uh-sis": "ah-nahl-uh-sis", "WOOS-ter": "woos-ter", "SHAH-rook KAHN": "shah-rook KAHN", "uh-LOO-muh-num": "uh-loo-muh-num",
		"proh-nun-see-AY-shuhn": "proh-nun-see-ay-shuhn", "HOO-goh": "hoo-goh", "say JEER-oh, please": "say jeer-oh, please", "Nuh-MUS-tay": "nuh-mus-tay", "GAHN-dee": "gahn-dee",
		"ky-OH-toh": "ky-oh-toh", "mee-SHEL": "mee-shel", "zhahn-PAWL": "zhahn-pawl", "skuh-NEK-tuh-dee": "skuh-nek-tuh-dee", "AK-sis": "ak-sis", "ih-FEM-er-ul": "ih-fem-er-ul",
		"vi·SHAHL": "vi·shahl", "A-meh-ree-kah": "a-meh-ree-kah",

		"API-key": "API-key", "USB-stick": "USB-stick", "X-RAY": "X-RAY", "X-ray": "X-ray", "US-based": "US-based", "UV-rays": "UV-rays", "EU-wide": "EU-wide", "A P I": "A P I",
		"AC-DC": "AC-DC", "e-mail": "e-mail", "A-level": "A-level", "JEAN-PAUL": "JEAN-PAUL", "Jean-Paul": "Jean-Paul", "GPS-tracker": "GPS-tracker", "PDF-file": "PDF-file", "HTML-page": "HTML-page",
		"well-known": "well-known", "McDonald-Smith": "McDonald-Smith", "ID-card": "ID-card", "B2B-trade": "B2B-trade", "नमस्-ते": "नमस्-ते", "-": "-", "": "",
	} {
		if got := unstressed(in); got != want {
			t.Errorf("unstressed(%q) = %q, want %q", in, got, want)
		}
	}
}
