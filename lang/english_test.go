package lang_test

import (
	"testing"

	"vaak/lang"
)

// Names and words of other languages do not take a text from English, and
// neither does shortness.
func TestDetectKeepsEnglish(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Hello", "Hi", "OK", "Yes", "No", "Thanks", "Pay now", "John Smith", "Good morning", "Press 1", "Stop",
		"Call Wojciech", "Meet Giovanni at noon", "Ask Håkan about it", "Where is Nguyễn?", "Send it to François",
		"Dr. Müller is here", "My friend Krzysztof called", "Łódź is a city in Poland", "Rahul lives in Hyderabad",
		"Priya will call you back", "Let's eat sushi tonight", "The Champs-Élysées is crowded", "I love São Paulo",
		"Flights to Reykjavík are late", "Turn left at Schönhauser Allee", "José is running late",
		"Order the crème brûlée", "Zoë and Chloë agreed", "We flew to Málaga", "Erdoğan met the president",
		"Book a table at Trattoria da Enzo", "Welcome to Bengaluru", "Mr. Takahashi has arrived", "Is Siobhán coming?",
		"Play some Dvořák", "Amit Kumar Sharma", "Your OTP is 4821", "Track my order", "Sachin scored a century",
		"Please call Anastasia Volkova", "The señor said hello", "Invoice from Siemens AG", "New Delhi", "WhatsApp me",
		"Narendra Modi spoke today", "café naïve", "Download the app", "Mumbai Indians won the match",
	} {
		if got := lang.Detect(text); got != "en" {
			t.Errorf("Detect(%q) = %s, want en", text, got)
		}
	}
}

// English words among other letters are English.
func TestDetectInKeepsEnglish(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"मैं office जा रहा हूँ", "आज meeting है क्या", "मेरा internet slow है", "ஒரு minute பொறு", "Swiggy से order करो",
		"это просто bestseller", "我用 iPhone", "مجھے email کر دو", "কাল exam আছে", "મારો mobile ક્યાં છે", "sale चालू है",
	} {
		if got := lang.DetectIn(text, "Latn"); got != "en" {
			t.Errorf("DetectIn(%q, Latn) = %s, want en", text, got)
		}
	}
}
