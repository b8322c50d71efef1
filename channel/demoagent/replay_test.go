package demoagent

import (
	"encoding/json"
	"testing"
)

// TestAResumedAgentKnowsTheAnswersThatCameTogether: a reply among many messages
// of one event, or in the feedback of a Stop hook, is heard again on resume.
func TestAResumedAgentKnowsTheAnswersThatCameTogether(t *testing.T) {
	const mail = "2 messages waited\n\n[1] note t-9 from api, message_id m-1\nhello\n\n[2] reply t-8 from api, status complete, in_reply_to m-0, message_id m-2\nport 8080\n"
	for name, text := range map[string]string{
		"bundle":   "<channel source=\"plugin:ccmux:peers\" sender=\"ccmux\" kind=\"note\" message_id=\"b-1\">\n" + mail + "\n</channel>",
		"feedback": stopFeedback + "\n" + mail,
	} {
		t.Run(name, func(t *testing.T) {
			a := &agent{mind: newMind(), plug: &plugin{}}
			a.mind.parent["t-8"] = "t-7"
			a.mind.thread("t-7").open["t-8"] = true
			e := entry{Type: "user"}
			if name == "bundle" {
				e.Origin.Kind = "channel"
			}
			e.Message.Content, _ = json.Marshal(text)
			a.replay([]entry{e})
			if th := a.mind.thread("t-7"); len(th.open) > 0 || len(th.results) != 1 {
				t.Errorf("t-7 is %+v after the resume; want its part answered", th)
			}
		})
	}
}
