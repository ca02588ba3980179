// Social networks, messengers, forums and video. `sources.ts` explains the format of a row.
// Sources: the networks' own addresses and app ids, Google Analytics 4's table of source categories (facts), Matomo's Socials
// list (CC0), read 2026-11-21; written by hand.
import type { SourceRow } from './sources.ts';

const PINTEREST =
  '{com,at,ca,ch,cl,co,co.kr,co.uk,com.au,com.mx,de,dk,es,fr,ie,it,jp,nz,ph,pt,ru,se,com.pe,com.uy,com.ec,info,nl,co.nz,com.bo,com.py,hu,id,co.in,in,no,fi,be,vn}';

export const networks: SourceRow[] = [
  [
    'Facebook',
    'facebook.com fb.com fb.me fb.watch fbcdn.net facebook.net fb.gg app:com.facebook.katana app:com.facebook.lite app:com.facebook.Facebook | fb facebook-ads facebookads fb-ads fb_ads facebook_ads meta meta-ads meta_ads metaads facebook-instagram facebook_instagram facebookinstagram an audience_network',
  ],
  ['Messenger', 'messenger.com m.me app:com.facebook.orca | facebook-messenger facebook_messenger msg'],
  [
    'Instagram',
    'instagram.com ig.me instagr.am app:com.instagram.android app:com.burbn.instagram | ig insta instagram-ads instagram_ads ig_ads instagram-stories instagram_stories ig_stories linkinbio link_in_bio link-in-bio ig_bio instagram_bio',
  ],
  ['Threads', 'threads.net threads.com app:com.instagram.barcelona'],
  [
    'WhatsApp',
    'whatsapp.com whatsapp.net wa.me wa.link l.wl.co app:com.whatsapp app:com.whatsapp.w4b app:net.whatsapp.WhatsApp | wa whatsapp-business whats-app',
  ],
  [
    'X',
    'x.com twitter.com t.co tweetdeck.com twimg.com app:com.twitter.android app:com.twitter.android.lite app:com.atebits.Tweetie2 | twitter tweetdeck x.com twitter-ads twitter_ads twitterads x-ads x_ads xads x-twitter x_twitter twitterfeed',
  ],
  [
    'LinkedIn',
    'linkedin.com lnkd.in linkedin.android app:com.linkedin.android app:com.linkedin.LinkedIn | linked-in linked_in linkedin-ads linkedin_ads linkedinads li ln',
  ],
  [
    'Reddit',
    'reddit.com redd.it redditmedia.com app:com.reddit.frontpage app:com.andrewshu.android.reddit app:com.laurencedawson.reddit_sync app:free.reddit.news app:com.reddit.Reddit | reddit-ads reddit_ads redditads',
  ],
  [
    'Pinterest',
    `pinterest.${PINTEREST} pin.it app:com.pinterest app:pinterest | pinterest-ads pinterest_ads pinterestads pin`,
  ],
  [
    'TikTok',
    'tiktok.com tiktokv.com musical.ly app:com.zhiliaoapp.musically app:com.ss.android.ugc.trill app:com.ss.android.ugc.aweme.lite | tik-tok tik_tok tiktok-ads tiktok_ads tiktokads tt',
  ],
  [
    'Snapchat',
    'snapchat.com sc-cdn.net app:com.snapchat.android app:com.toyopagroup.picaboo | snap snapchat-ads snapchat_ads snap-ads',
  ],
  ['Bluesky', 'bsky.app bsky.social bsky.network app:xyz.blueskyweb.app | bsky blue-sky'],
  [
    'Mastodon',
    'joinmastodon.org mastodon.{social,online,world,cloud,xyz,art,gamedev.place,lol,green,nl,scot,ie,nu,uno,sdf.org,sk,top,au,eus} mstdn.{social,jp,ca,io,party,plus} fosstodon.org hachyderm.io mas.to techhub.social infosec.exchange pawoo.net troet.cafe chaos.social social.coop toot.io toot.cafe toot.community indieweb.social aus.social ioc.exchange universeodon.com social.vivaldi.net masto.ai det.social sfba.social misskey.io mathstodon.xyz ruby.social phpc.social front-end.social sigmoid.social digitalcourage.social social.tchncs.de norden.social kolektiva.social botsin.space octodon.social writing.exchange journa.host home.social c.im mamot.fr piaille.fr framapiaf.org phanpy.social elk.zone truthsocial.com app:org.joinmastodon.android app:com.tusky app:com.keylesspalace.tusky | fediverse',
  ],
  [
    'Lemmy',
    'lemmy.{world,ml,ca,one,zip,blahaj.zone,dbzer0.com,nz,today} lemm.ee sh.itjust.works beehaw.org feddit.{de,org,uk,it,nl,dk} programming.dev sopuli.xyz kbin.social fedia.io discuss.tchncs.de discuss.online reddthat.com hexbear.net join-lemmy.org piefed.social',
  ],
  [
    'Telegram',
    't.me telegram.me telegram.org telegram.dog telesco.pe app:org.telegram.messenger app:org.telegram.messenger.web app:org.telegram.plus app:org.thunderdog.challegram | tg',
  ],
  ['Discord', 'discord.com discordapp.com discord.gg discord.me app:com.discord'],
  ['Slack', 'slack.com slack-redir.net app:com.slack app:com.Slack app:com.tinyspeck.chatlyio'],
  [
    'Microsoft Teams',
    'teams.microsoft.com teams.live.com teams.cdn.office.net statics.teams.cdn.office.net teams.cloud.microsoft app:com.microsoft.teams app:com.microsoft.skype.teams | teams ms-teams msteams',
  ],
  ['Skype', 'skype.com web.skype.com app:com.skype.raider'],
  ['Signal', 'signal.org signal.me signal.group app:org.thoughtcrime.securesms'],
  ['Viber', 'viber.com app:com.viber.voip'],
  ['LINE', 'line.me lin.ee liff.line.me app:jp.naver.line.android | line-ads line_ads lineads lap'],
  [
    'KakaoTalk',
    'kakao.com kakaocorp.com kakaotalk.com story.kakao.com pf.kakao.com app:com.kakao.talk | kakao kakao-talk kakaostory',
  ],
  [
    'WeChat',
    'wechat.com weixin.qq.com mp.weixin.qq.com servicewechat.com weixin110.qq.com wx.qq.com app:com.tencent.mm | weixin wx',
  ],
  ['QQ', '=qq.com im.qq.com c.pc.qq.com app:com.tencent.mobileqq'],
  ['Qzone', 'qzone.qq.com qzone.com'],
  ['Weibo', 'weibo.com weibo.cn weibo.com.cn t.cn app:com.sina.weibo | sina-weibo'],
  ['Xiaohongshu', 'xiaohongshu.com xhslink.com rednote.com app:com.xingin.xhs | rednote xhs red'],
  ['Zhihu', 'zhihu.com app:com.zhihu.android'],
  ['Douban', 'douban.com'],
  ['Tieba', 'tieba.baidu.com'],
  ['Zalo', 'zalo.me chat.zalo.me app:com.zing.zalo'],
  [
    'VK',
    'vk.com vk.ru vkontakte.ru vk.me vk.cc vkvideo.ru/wall app:com.vkontakte.android | vkontakte vk.com vk-ads vk_ads vkads',
  ],
  ['Odnoklassniki', 'ok.ru odnoklassniki.ru odnoklassniki.ua app:ru.ok.android | ok'],
  ['My World', 'my.mail.ru | mymailru'],
  ['Dzen', 'dzen.ru zen.yandex.ru zen.yandex.com | zen yandex-zen yandex_zen'],
  ['LiveJournal', 'livejournal.com livejournal.ru'],
  [
    'Hacker News',
    'news.ycombinator.com hckrnews.com hn.algolia.com hnrss.org app:io.github.hidroh.materialistic app:com.hn | hn hackernews ycombinator hacker-news hacker_news',
  ],
  ['Lobsters', 'lobste.rs'],
  ['Product Hunt', 'producthunt.com app:com.producthunt | product-hunt product_hunt ph'],
  ['Indie Hackers', 'indiehackers.com | indie-hackers'],
  ['GitHub', 'github.com'],
  ['Stack Overflow', 'stackoverflow.com stackoverflow.blog stackapps.com | stack-overflow stackapps'],
  [
    'Stack Exchange',
    'stackexchange.com superuser.com serverfault.com askubuntu.com mathoverflow.net | superuser serverfault askubuntu',
  ],
  ['DEV', 'dev.to | devto dev-to'],
  ['Hashnode', 'hashnode.com hashnode.dev'],
  ['DZone', 'dzone.com'],
  ['daily.dev', 'daily.dev app.daily.dev | dailydev'],
  ['Medium', 'medium.com link.medium.com app:com.medium.reader'],
  ['Quora', 'quora.com qr.ae app:com.quora.android | quora-ads quora_ads'],
  ['Tumblr', 'tumblr.com t.umblr.com href.li app:com.tumblr'],
  ['Flipboard', 'flipboard.com flip.it flipboard.app app:flipboard.app'],
  [
    'Pocket',
    'getpocket.com pocket.co app:com.ideashower.readitlater.pro | pocket-newtab pocket_newtab pocket_hits pocket-hits pocket_mylist firefox-pocket',
  ],
  ['Instapaper', 'instapaper.com'],
  ['Nextdoor', 'nextdoor.{com,co.uk,de,fr,nl,it,es} app:com.nextdoor'],
  ['Yelp', 'yelp.{com,co.uk,ca,de,fr,it,es,com.au} app:com.yelp.android'],
  [
    'Tripadvisor',
    'tripadvisor.{com,co.uk,de,fr,it,es,ca,com.au,in,jp,com.br,com.mx,ie,nl} app:com.tripadvisor.tripadvisor | trip-advisor',
  ],
  ['Trustpilot', 'trustpilot.com'],
  ['Glassdoor', 'glassdoor.{com,co.uk,de,ca,fr,co.in}'],
  ['Meetup', 'meetup.com'],
  ['Flickr', 'flickr.com flic.kr'],
  ['Imgur', 'imgur.com app:com.imgur.mobile'],
  ['9GAG', '9gag.com'],
  ['DeviantArt', 'deviantart.com'],
  ['ArtStation', 'artstation.com'],
  ['Behance', 'behance.net'],
  ['Dribbble', 'dribbble.com'],
  ['Pixiv', 'pixiv.net'],
  ['Goodreads', 'goodreads.com'],
  ['Letterboxd', 'letterboxd.com'],
  ['Last.fm', 'last.fm lastfm.{ru,de,es,fr,it,jp,pl,com.br,se,com.tr}'],
  ['Steam Community', 'steamcommunity.com | steam'],
  ['XING', 'xing.com app:com.xing.android'],
  ['Viadeo', 'viadeo.com viadeo.journaldunet.com'],
  ['Yammer', 'yammer.com engage.cloud.microsoft web.yammer.com'],
  ['Workplace', 'workplace.com'],
  ['Disqus', 'disqus.com disq.us'],
  ['Hootsuite', 'hootsuite.com ow.ly'],
  ['Buffer', 'buffer.com buff.ly'],
  ['Bitly', 'bit.ly bitly.com'],
  ['Patreon', 'patreon.com'],
  ['Ko-fi', 'ko-fi.com'],
  ['Gab', 'gab.com'],
  ['Parler', 'parler.com'],
  ['Gettr', 'gettr.com'],
  ['MeWe', 'mewe.com'],
  ['Truth Social', 'truthsocial.com'],
  ['Clubhouse', 'clubhouse.com joinclubhouse.com'],
  ['Farcaster', 'farcaster.xyz warpcast.com'],
  ['Nostr', 'primal.net snort.social'],
  ['Minds', 'minds.com'],
  ['Diaspora', 'joindiaspora.com diaspora.social'],
  ['Pixelfed', 'pixelfed.social'],
  ['BeReal', 'bere.al app:com.bereal.ft'],
  ['Lemon8', 'lemon8-app.com app:com.bd.nproject'],
  ['OnlyFans', 'onlyfans.com'],
  ['Tapatalk', 'tapatalk.com app:com.quoord.tapatalk app:com.quoord.tapatalkpro.activity'],
  ['Tildes', 'tildes.net'],
  ['We Heart It', 'weheartit.com'],
  ['Spiceworks', 'community.spiceworks.com'],
  ['Substack', 'substack.com app:com.substack.app'],
  ['4chan', '4chan.org boards.4channel.org'],
  ['5ch', '5ch.net 2ch.net'],
  ['Hatena', 'b.hatena.ne.jp d.hatena.ne.jp hatena.ne.jp hatenablog.com hatenablog.jp'],
  ['note', 'note.com'],
  ['Qiita', 'qiita.com zenn.dev'],
  ['Ameba', 'ameblo.jp ameba.jp'],
  ['mixi', 'mixi.jp'],
  ['GREE', 'gree.jp'],
  ['Habr', 'habr.com habr.ru'],
  ['Pikabu', 'pikabu.ru'],
  ['Wykop', 'wykop.pl'],
  ['Menéame', 'meneame.net'],
  [
    'Naver Blog',
    'blog.naver.com m.blog.naver.com cafe.naver.com m.cafe.naver.com kin.naver.com m.kin.naver.com post.naver.com band.us',
  ],
  ['V2EX', 'v2ex.com'],
  ['Slashdot', 'slashdot.org'],
  ['Digg', 'digg.com'],
  ['Fark', 'fark.com'],
  ['StumbleUpon', 'stumbleupon.com mix.com'],
  ['Blogger', 'blogger.com blogspot.com draft.blogger.com | blogspot'],
  ['WordPress', 'wordpress.com wordpress.org'],
  ['Google Groups', 'groups.google.com groups.google.co.uk googlegroups.com'],
  [
    'Google Chat',
    'chat.google.com messages.google.com app:com.google.android.apps.messaging app:com.google.android.apps.dynamite',
  ],
  ['Google+', 'plus.google.com plus.url.google.com url.google.com | google-plus googleplus google_plus gplus'],
  ['ShareChat', 'sharechat.com app:in.mohalla.sharechat'],
  ['Koo', 'kooapp.com'],
  ['Likee', 'likee.video'],
  ['Taringa!', 'taringa.net'],
  ['Draugiem', 'draugiem.lv'],
  ['Nasza-klasa', 'nk.pl'],
  ['MySpace', 'myspace.com'],
  ['hi5', 'hi5.com'],
  ['Badoo', 'badoo.com'],
  ['Tagged', 'tagged.com'],
  ['ResearchGate', 'researchgate.net'],
  ['Academia.edu', 'academia.edu'],
  ['SlideShare', 'slideshare.net'],
  ['Scribd', 'scribd.com'],
  ['Houzz', 'houzz.com'],
  ['Ravelry', 'ravelry.com'],
  ['Wattpad', 'wattpad.com'],
  ['Couchsurfing', 'couchsurfing.org couchsurfing.com'],
  ['Strava', 'strava.com'],
  ['Gutefrage', 'gutefrage.net'],
  // chats of groups and companies
  ['Matrix', 'matrix.to matrix.org element.io cinny.in schildi.chat app:im.vector.app | matrix'],
  ['Threema', 'threema.ch threema.id app:ch.threema.app'],
  ['Wire', 'wire.com app:com.wire'],
  ['ICQ', 'icq.com icq.im'],
  ['imo', 'imo.im app:com.imo.android.imoim'],
  ['Mattermost', 'mattermost.com app:com.mattermost.rn'],
  ['Rocket.Chat', 'rocket.chat app:chat.rocket.android'],
  ['Zulip', 'zulip.com zulip.org zulipchat.com app:com.zulipmobile'],
  ['Gitter', 'gitter.im'],
  ['Guilded', 'guilded.gg'],
  ['Revolt', 'revolt.chat stoat.chat'],
  ['GroupMe', 'groupme.com app:com.groupme.android'],
  ['Kik', 'kik.me kik.com app:kik.android'],
  ['DingTalk', 'dingtalk.com app:com.alibaba.android.rimet'],
  ['Lark', 'feishu.cn larksuite.com larkoffice.com app:com.larksuite.suite app:com.ss.android.lark'],
  ['Pumble', 'pumble.com'],
  ['Twist', 'twist.com'],
  ['Flock', 'flock.com'],
  ['Chanty', 'chanty.com'],
  ['Webex', 'web.webex.com teams.webex.com webexapis.com app:com.cisco.wx2.android'],
  ['Beeper', 'beeper.com app:com.beeper.android'],
  ['MAX', 'max.ru app:ru.oneme.app'],
  ['SimpleX', 'simplex.chat app:chat.simplex.app'],
  ['Session', 'session.org getsession.org app:network.loki.messenger'],
  ['Delta Chat', 'delta.chat app:com.b44t.messenger'],
  ['BOTIM', 'botim.me app:im.thebot.messenger'],
  ['BiP', 'bip.com bip.ai app:com.turkcell.bip'],
  ['Bluesky', 'deck.blue'],
  ['X', 'xcancel.com nitter.net'],
  ['Reddit', 'troddit.com redlib.*'],
  ['LINE', 'line.biz'],
  ['Mastodon', 'phanpy.social elk.zone'],
  ['Zalo', 'zaloapp.com'],
  // Names, and a broadcaster's portal, that Google's table counts as social.
  ['Google News Showcase', '| newsshowcase'],
  ['Social', '|'],
  ['goo blog', '|'],
  ['livedoor Blog', '|'],
  ['SHAREit', '|'],
  ['RTL', 'rtl.de'],
  ['Yahoo! Answers', 'answers.yahoo.com chiebukuro.yahoo.co.jp messages.yahoo.co.jp'],
];

/** The other hosts that Google Analytics 4 counts as social. */
export const smallNetworks =
  'nebenan.de toot.wales social.linux.pizza fedibird.com lemmings.world spacehey.com vero.co ask.fm ' +
  '43things.com 51.com imageshack.com imageshack.us activerain.com activeworlds.com addthis.com airg.ca allnurses.com ' +
  'allrecipes.com alumniclass.com americantowns.com ancestry.com anobii.com answerbag.com aolanswers.com asmallworld.com ' +
  'athlinks.com awe.sm baby-gaga.com babyblog.ru bebo.com beforeitsnews.com bharatstudent.com biip.no biswap.org ' +
  'blackcareernetwork.com blackplanet.com blip.fm blog.com blog.feedspot.com feedspot.com blog.goo.ne.jp blog.yahoo.co.jp ' +
  'blogg.no bloggang.com blogher.com bloglines.com blogs.com blogsome.com blogster.com blurtit.com bookmarks.yahoo.co.jp ' +
  'bookmarks.yahoo.com brightkite.com brizzly.com buzzfeed.com buzznet.com cafemom.com camospace.com canalblog.com care.com ' +
  'care2.com caringbridge.org catster.com cbnt.io cellufun.com centerblog.net chegg.com chicagonow.com classmates.com ' +
  'classquest.com cocolog-nifty.com copainsdavant.linternaute.com cozycot.com cross.tv crunchyroll.com cyworld.com ' +
  'dailystrength.org deluxe.com dianping.com diigo.com discover.hubpages.com hubpages.com dogster.com dol2day.com doostang.com ' +
  'dopplr.com drugs-forum.com edublogs.org elftown.com epicurious.com everforo.com exblog.jp extole.com faceparty.com ' +
  'fandom.com fanpop.com fc2.com feministing.com filmaffinity.com folkdirect.com foodservice.com forums.androidcentral.com ' +
  'forums.crackberry.com forums.imore.com forums.nexopia.com forums.webosnation.com forums.wpcentral.com fotki.com fotolog.com ' +
  'foursquare.com friendfeed.com fruehstueckstreff.org fubar.com gaiaonline.com gamerdna.com gather.com geni.com ' +
  'glassboard.com godtube.com goldenline.pl goldstar.com goo.gl govloop.com gowalla.com gulli.com habbo.com hoverspot.com ' +
  'hr.com hubculture.com hyves.net hyves.nl ibibo.com identi.ca imvu.com insanejournal.com internations.org interpals.net ' +
  'intherooms.com irc-galleria.net is.gd italki.com jammerdirect.com jappy.com jappy.de kaboodle.com kaneva.com ' +
  'librarything.com lifestream.aol.com listal.com listography.com livedoor.com mbga.jp meetin.org meinvz.net menuism.com ' +
  'mocospace.com mouthshut.com movabletype.com mubi.com my.opera.com myanimelist.net myheritage.com mylife.com ' +
  'mymodernmet.com netvibes.com nexopia.com ngopost.org nightlifelink.com ning.com okwave.jp oneworldgroup.org onstartups.com ' +
  'opendiary.com orkut.com oshiete.goo.ne.jp over-blog.com overblog.com paper.li partyflock.nl photobucket.com pinboard.in ' +
  'pingsta.com plaxo.com playahead.se plurk.com posterous.com pro.homeadvisor.com pulse.yahoo.com qapacity.com quechup.com redux.com ' +
  'renren.com reunion.com reverbnation.com ryze.com salespider.com scoop.it screenrant.com scvngr.com secondlife.com ' +
  'sharethis.com shvoong.com sites.google.com skyrock.com smartnews.com sociallife.com.br socialvibe.com spaces.live.com ' +
  'spoke.com spruz.com ssense.com stardoll.com stickam.com studivz.net suomi24.fi sweeva.com talkbiznow.com techmeme.com ' +
  'tencent.com tinyurl.com toolbox.com travellerspoint.com trombi.com tuenti.com twoo.com typepad.com unblog.fr ' +
  'urbanspoon.com ushareit.com ushi.cn vampirefreaks.com vampirerave.com vg.no video.ibm.com wakoopa.com webshots.com ' +
  'weebly.com wer-weiss-was.de weread.com wiki.answers.com wikihow.com wikitravel.org woot.com xanga.com yahoo-mbga.jp ' +
  'youroom.in zoo.gr zooppa.com friendsreunited.com friendster.com netlog.com sonico.com wayn.com weeworld.com ' +
  'moikrug.ru mylife.ru vkrugudruzei.ru delicious.com lang-8.com fetlife.com flixster.com multiply.com taggedmail.com';

/** Forums and communities of one country or one subject, and small networks. */
export const forums =
  'hupu.com dcard.tw ptt.cc lihkg.com discuss.com.hk hkgolden.com baby-kingdom.com mobile01.com bahamut.com.tw gamer.com.tw everytime.kr ' +
  'dcinside.com clien.net fmkorea.com ruliweb.com inven.co.kr theqoo.net ppomppu.co.kr mlbpark.donga.com bobaedream.co.kr instiz.net ' +
  'teamblind.com okjike.com jike.city nga.cn ngabbs.com tianya.cn 1point3acres.com mitbbs.com xueqiu.com coolapk.com segmentfault.com ' +
  'juejin.cn csdn.net cnblogs.com jianshu.com girlschannel.net togetter.com bakusai.com talk.jp dtf.ru vc.ru yaplakal.com drive2.ru ' +
  '4pda.to 4pda.ru woman.ru baby.ru nairaland.com kaskus.co.id kompasiana.com voz.vn tinhte.vn webtretho.com pantip.com lowyat.net ' +
  'hardwarezone.com.sg forocoches.com burbuja.info mediavida.com jodel.com jodel.city mumsnet.com ' +
  'thestudentroom.co.uk pistonheads.com avforums.com digitalspy.com boards.ie whirlpool.net.au ' +
  'geekzone.co.nz redflagdeals.com doctissimo.fr jeuxvideo.com hardware.fr developpez.net finanzfrage.net ' +
  'motor-talk.de urbia.de med1.de wallstreet-online.de elitepvpers.com planetminecraft.com flashback.org ' +
  'familjeliv.se sweclockers.com vauva.fi diskusjon.no prohardware.hu elektroda.pl kafeteria.pl ' +
  'okoun.cz emimino.cz modrykonik.cz modrykonik.sk insomnia.gr donanimhaber.com eksisozluk.com ' +
  'kizlarsoruyor.com technopat.net ninisite.com resetera.com neogaf.com gamefaqs.gamespot.com 4channel.org 8kun.top kiwifarms.st ' +
  'xda-developers.com macrumors.com head-fi.org bogleheads.org flyertalk.com city-data.com bimmerpost.com avsforum.com ' +
  'warriorforum.com blackhatworld.com digitalpoint.com webhostingtalk.com lowendtalk.com biggerpockets.com ' +
  'untappd.com vivino.com geocaching.com peach.cool cohost.org bereal.com 500px.com ' +
  'vsco.co ello.co newgrounds.com furaffinity.net kbin.earth fediscience.org social.lol tech.lgbt slrpnk.net brid.gy toot.cafe xdaforums.com linux.do nodeseek.com hostloc.com 4gamer.net kooora.com hespress.com vozforums.com jakpsatweb.cz micro.blog write.as ' +
  'bearblog.dev folkd.com are.na curius.app readup.org hive.blog steemit.com peakd.com publish0x.com lens.xyz ' +
  'stocktwits.com polywork.com read.cv fishbowlapp.com ' +
  'yikyak.com noplace.app spill-app.com joinmastodon.org';

/** Video and live streams of one country or one subject, and other views of video sites. */
export const smallVideos =
  'ixigua.com acfun.cn huya.com douyu.com mgtv.com tv.sohu.com pptv.com le.com miguvideo.com yizhibo.com abema.tv tver.jp twitcasting.tv openrec.tv ' +
  'showroom-live.com 17.live mildom.com tv.kakao.com pandalive.co.kr bigo.tv dlive.tv caffeine.tv vimm.tv nimo.tv loco.gg ' +
  'booyah.live dtube.video diode.zone plex.tv tilvids.com yewtu.be younow.com smotri.com inv.nadeko.net piped.video freetube.io mixch.tv ivi.ru okko.tv wink.ru smotrim.ru ' +
  'premier.one kinopoisk.ru yappy.media triller.co vbox7.com 9now.com.au iview.abc.net.au tvnz.co.nz crave.ca ' +
  'itvx.com joyn.de ardmediathek.de waipu.tv zattoo.com arte.tv france.tv ' +
  'molotov.tv raiplay.it mediasetinfinity.mediaset.it nlziet.nl svtplay.se viaplay.* ' +
  'hotstar.com zee5.com sonyliv.com jiocinema.com viu.com wetv.vip aparat.com shahid.net starzplay.com vidio.com ' +
  'globoplay.globo.com vix.com blim.com fubo.tv sling.com philo.com dropout.tv vidlii.com ' +
  'livestream.com vzaar.com sproutvideo.com ' +
  'muse.ai tella.tv medal.tv outplayed.tv ' +
  'liveleak.com ebaumsworld.com';

export const videos: SourceRow[] = [
  [
    'YouTube',
    'youtube.com youtu.be youtube-nocookie.com youtubekids.com yt.be app:com.google.android.youtube app:com.google.android.apps.youtube.music app:com.google.android.youtube.tv app:com.google.ios.youtube | yt you-tube youtube-ads youtube_ads youtubeads yt-ads',
  ],
  ['Google Video', 'video.google.com'],
  ['Vimeo', 'vimeo.com player.vimeo.com app:com.vimeo.android.videoapp'],
  ['Twitch', 'twitch.tv app:tv.twitch.android.app | twitchtv'],
  ['Kick', 'kick.com'],
  ['Dailymotion', 'dailymotion.com dai.ly app:com.dailymotion.dailymotion'],
  ['Rumble', 'rumble.com'],
  ['Odysee', 'odysee.com lbry.tv'],
  ['BitChute', 'bitchute.com'],
  ['PeerTube', 'joinpeertube.org peertube.tv framatube.org'],
  ['D.Tube', 'd.tube'],
  ['Bilibili', 'bilibili.com bilibili.tv b23.tv app:tv.danmaku.bili'],
  ['Douyin', 'douyin.com iesdouyin.com app:com.ss.android.ugc.aweme'],
  ['Kuaishou', 'kuaishou.com app:com.smile.gifmaker'],
  ['Youku', 'youku.com'],
  ['Tudou', 'tudou.com'],
  ['iQIYI', 'iqiyi.com iq.com'],
  ['Tencent Video', 'v.qq.com'],
  ['Niconico', 'nicovideo.jp nico.ms | niconico'],
  ['Naver TV', 'tv.naver.com now.naver.com chzzk.naver.com'],
  ['AfreecaTV', 'afreecatv.com sooplive.co.kr sooplive.com'],
  ['RuTube', 'rutube.ru'],
  ['VK Video', 'vkvideo.ru'],
  ['Netflix', 'netflix.com'],
  ['Hulu', 'hulu.com'],
  ['Disney+', 'disneyplus.com app:com.disney.disneyplus | disneyplus disney-plus'],
  ['Prime Video', 'primevideo.com | primevideo'],
  ['Max', 'max.com hbomax.com'],
  ['Peacock', 'peacocktv.com'],
  ['Paramount+', 'paramountplus.com'],
  ['Crackle', 'crackle.com'],
  ['CuriosityStream', 'curiositystream.com'],
  ['TED', 'ted.com'],
  ['Wistia', 'wistia.com wistia.net'],
  ['Loom', 'loom.com'],
  ['Vidyard', 'vidyard.com'],
  ['Veoh', 'veoh.com'],
  ['Metacafe', 'metacafe.com'],
  ['Utreon', 'utreon.com playeur.com'],
  ['Justin.tv', 'justin.tv'],
  ['Streamable', 'streamable.com'],
  ['Coub', 'coub.com'],
  ['Trovo', 'trovo.live'],
  ['Nebula', 'nebula.tv'],
  ['Floatplane', 'floatplane.com'],
  ['Roku', 'roku.com'],
  ['Pluto TV', 'pluto.tv'],
  ['Tubi', 'tubitv.com'],
];
