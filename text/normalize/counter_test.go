package normalize

import (
	"testing"

	"vaak/lang"
)

// TestEastAsianForms checks forms that the golden cases leave out, most of them
// beside others that look like them.
func TestEastAsianForms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code            lang.Code
		written, spoken string
	}{
		{"zh", "2019-2024年", "二〇一九到二〇二四年"},
		{"zh", "一百元2个", "一百元两个"},
		{"zh", "1，200人", "一，两百人"},
		{"zh", "１，２００人", "一千二百人"},
		{"zh", "2kg", "两千克"},
		{"zh", "2024年访问www.a.com看看", "二〇二四年访问w w w点 a点 com看看"},
		{"zh", "5亿-8亿", "五亿到八亿"},
		{"zh", "12月", "十二月"},
		{"zh", "100050000人", "一亿零五万人"},
		{"zh", "1000000000000", "一万亿"},
		{"yue", "9876 5432", "九八七六, 五四三二"},
		{"yue", "5000-6000元", "五千至六千元"},
		{"yue", "25kg", "二十五公斤"},
		{"ja", "03(1234)5678", "〇三, 一二三四, 五六七八"},
		{"ja", "3月3日（金）", "三月三日、金曜日"},
		{"ja", "5/12（日）", "五月十二日、日曜日"},
		{"ja", "-10〜-5℃", "マイナス十からマイナス五度"},
		{"zh", "-20℃~-10℃", "负二十摄氏度到负十摄氏度"},
		{"zh", "30元/个", "每个三十元"},
		{"zh", "100元/小时", "每小时一百元"},
		{"ja", "100円/個", "一個あたり百円"},
		{"ko", "1,000원/개", "개당 천 원"},
		{"ja", "1-9-1", "一の九の一"},
		{"ko", "50명", "오십 명"},
		{"ko", "24시간", "이십사 시간"},
		{"ko", "2-3h", "두 시간에서 세 시간"},
		{"ko", "3·1절", "삼일절"},
		{"ko", "1·2위", "일 이위"},
		{"ko", "02)123-4567", "공이, 일이삼, 사오육칠"},
		{"ko", "제2차", "제이차"},
		{"ko", "05/12", "오월 십이일"},
		{"vi", "tháng 4/2024", "tháng tư năm hai nghìn không trăm hai mươi tư"},
		{"vi", "192.168.1.1", "một chín hai chấm một sáu tám chấm một chấm một"},
		{"sv", "05/12", "femte december"},
	} {
		if got, _ := Run(tt.written, tt.code, lang.Tag{Code: tt.code}); got != tt.spoken {
			t.Errorf("Run(%q) in %s = %q, want %q", tt.written, tt.code, got, tt.spoken)
		}
	}
}
