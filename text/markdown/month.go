package markdown

import "strings"

// isMonth reports whether a word is the name of a month in a language that writes a full stop
// after the number of a day.
func isMonth(word string) bool {
	_, ok := months[strings.ToLower(word)]
	return ok
}

// months has the names as they stand after a day, in Danish, Norwegian, German, Faroese,
// Icelandic, Finnish, Estonian, Latvian, Czech, Slovak, Slovenian, Croatian, Serbian and Polish.
var months = func() map[string]struct{} {
	m := map[string]struct{}{}
	for _, name := range strings.Fields(`
januar februar märz april mai juni juli august september oktober november dezember jänner feber
jan feb mär apr jun jul aug sep sept okt nov dez
marts maj december marts mars des dec janúar febrúar apríl maí júní júlí ágúst október nóvember desember
tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta
jaanuar jaanuaril veebruar veebruaril märts märtsil aprill aprillil mail juuni juunil juuli juulil augustil september septembril oktoober oktoobril november novembril detsember detsembril
janvāris janvārī februāris februārī marts martā aprīlis aprīlī maijs maijā jūnijs jūnijā jūlijs jūlijā augusts augustā septembris septembrī oktobris oktobrī novembris novembrī decembris decembrī
ledna února března dubna května června července srpna září října listopadu prosince
januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra
januarja februarja aprila maja junija julija avgusta oktobra
siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna studenoga studenog prosinca
januara februara marta juna jula avgusta oktobra novembra decembra јануара фебруара марта априла маја јуна јула августа септембра октобра новембра децембра
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
`) {
		m[name] = struct{}{}
	}
	return m
}()
