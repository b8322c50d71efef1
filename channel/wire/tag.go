package wire

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// The plugin's name and the key of its server. Together they make the source
// that claude writes into a channel tag and the prefix of the tools' names.
const (
	PluginName = "ccmux"
	ServerKey  = "peers"

	// ChannelSource is the value of source in a tag that came through ccmux.
	ChannelSource = "plugin:" + PluginName + ":" + ServerKey
	// ToolPrefix stands before a tool's name in claude.
	ToolPrefix = "mcp__plugin_" + PluginName + "_" + ServerKey + "__"
	// TagPrefix begins a prompt that is a channel event of ccmux.
	TagPrefix = `<channel source="` + ChannelSource + `"`
)

// Keys of a channel tag, in the order the design names them. A key source must
// never be sent: claude writes it, and a second one would be a forgery.
const (
	MetaSender    = "sender"
	MetaKind      = "kind"
	MetaTaskID    = "task_id"
	MetaMessageID = "message_id"
	MetaParent    = "parent_task_id"
	MetaRoom      = "room"
	MetaInReplyTo = "in_reply_to"
	MetaStatus    = "status"
	MetaSubject   = "subject"
	MetaProbe     = "probe" // the nonce of a start probe; such an event is always blocked
)

var (
	tagEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;")
	tagClosing = regexp.MustCompile(`(?i)</(channel)`)
)

// TagText is an event as claude makes a prompt of it, for the ways to a model on
// which claude does not do so itself. Nothing in content can end the tag.
func TagText(content string, meta map[string]string) string {
	var b strings.Builder
	b.WriteString(TagPrefix)
	for _, k := range slices.Sorted(maps.Keys(meta)) {
		b.WriteString(" " + k + `="` + tagEscaper.Replace(meta[k]) + `"`)
	}
	b.WriteString(">\n" + tagClosing.ReplaceAllString(content, `<\/$1`) + "\n</channel>")
	return b.String()
}
