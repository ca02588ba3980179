<?php
/**
 * What people see in wp-admin: the settings, the check of the connection, and the numbers of the site through a share link.
 *
 * @package Footfall
 */

defined( 'ABSPATH' ) || exit;

/** The page with the numbers. */
const FOOTFALL_NUMBERS = 'footfall-numbers';
/** Who sees them: editors and administrators. */
const FOOTFALL_VIEWERS = 'edit_others_posts';

/**
 * The fields of the settings, in order: label, kind and hint.
 *
 * @return array[]
 */
function footfall_fields() {
	return array(
		'server'    => array( __( 'Server address', 'footfall' ), 'url', __( 'The address of your Footfall server, such as https://stats.example.com. Nothing is counted without it.', 'footfall' ) ),
		'domain'    => array( __( 'Domain', 'footfall' ), 'text', __( 'The domain of this site, as it is called in Footfall.', 'footfall' ) ),
		'excluded'  => array( __( 'Not counted', 'footfall' ), 'roles', __( 'People with these roles, while they are logged in.', 'footfall' ) ),
		'not_found' => array( __( 'Missing pages', 'footfall' ), 'checkbox', __( 'Send the event “not_found” for addresses without a page.', 'footfall' ) ),
		'search'    => array( __( 'Searches', 'footfall' ), 'checkbox', __( 'Send the event “search” with the words and the number of results. Visitors may type anything there; words with an @ or six digits are left out.', 'footfall' ) ),
		'orders'    => array( 'WooCommerce', 'checkbox', __( 'Send orders, products that are added to the cart, and checkouts that are begun.', 'footfall' ) ),
		'key'       => array( __( 'API key', 'footfall' ), 'password', __( 'Confirms payments and refunds from this server: browsers alone can only claim them. Made in Footfall’s settings, kept while WooCommerce is on, and never shown. Leave it empty to keep the present one.', 'footfall' ) ),
		'share'     => array( __( 'Share link', 'footfall' ), 'url', __( 'Shows the numbers here, to editors and administrators. The link must allow this website in frames, and have no password.', 'footfall' ) ),
		'proxy'     => array( __( 'Path on this site', 'footfall' ), 'text', __( 'Such as /stats: the script then comes from this site, where fewer blockers stop it. The server’s TRUST_PROXY must list the address of this web server. Empty: the script comes from the server.', 'footfall' ) ),
		'behind'    => array( __( 'Proxy or CDN', 'footfall' ), 'checkbox', __( 'This site is behind a proxy or CDN that puts the visitor’s address last in X-Forwarded-For. If not, visitors could pretend any address. Matters only for a path on this site.', 'footfall' ) ),
	);
}

/**
 * Checks what was sent, and keeps the present value of what is refused. WordPress may call it twice.
 *
 * @param mixed $sent What the form sends.
 * @return array
 */
function footfall_check_settings( $sent ) {
	// A server that is named anew, or has come back, is asked at once.
	delete_transient( 'footfall_away' );
	delete_transient( 'footfall_problem' );
	$before = footfall_settings();
	$sent   = is_array( $sent ) ? $sent : array();
	$kept   = array();
	foreach ( footfall_fields() as $name => list( , $kind ) ) {
		$value = $sent[ $name ] ?? '';
		if ( 'roles' === $kind ) {
			$kept[ $name ] = array_values( array_intersect( array_keys( wp_roles()->roles ), is_array( $value ) ? $value : array() ) );
		} elseif ( 'checkbox' === $kind ) {
			$kept[ $name ] = ! empty( $value );
		} else {
			$kept[ $name ] = is_scalar( $value ) ? sanitize_text_field( $value ) : '';
		}
	}
	$kept['server'] = untrailingslashit( strtolower( $kept['server'] ) );
	$kept['domain'] = strtolower( $kept['domain'] );
	$kept['proxy']  = untrailingslashit( $kept['proxy'] );
	if ( ! $kept['orders'] ) {
		$kept['key'] = '';
	} elseif ( '' === $kept['key'] ) {
		$kept['key'] = $before['key'];
	}

	if ( ! preg_match( '~^(https?://([a-z0-9.-]+|\[[0-9a-f:]+\])(:\d{1,5})?)?$~', $kept['server'] ) ) {
		footfall_refuse( $kept, 'server', __( 'The server address must be https:// and a host, without a path, such as https://stats.example.com.', 'footfall' ) );
	} elseif ( 0 === strpos( $kept['server'], 'http://' ) && 0 === strpos( home_url(), 'https://' ) ) {
		footfall_refuse( $kept, 'server', __( 'The server address must begin with https://, as this site does: browsers load nothing else into it.', 'footfall' ) );
	}
	if ( ! preg_match( '/^(?=.{1,253}$)[\p{L}\p{N}]([\p{L}\p{N}.-]*[\p{L}\p{N}])?$/u', $kept['domain'] ) ) {
		footfall_refuse( $kept, 'domain', __( 'The domain must be a name such as example.com, without https:// and without a path.', 'footfall' ) );
	}
	if ( ! preg_match( '/^(ff_[\w-]{8,200})?$/', $kept['key'] ) ) {
		footfall_refuse( $kept, 'key', __( 'The API key must begin with ff_: copy all of it.', 'footfall' ) );
	}
	if ( '' !== $kept['share'] && ! preg_match( '~^' . preg_quote( $kept['server'], '~' ) . '/share/[\w.-]{1,253}$~i', $kept['share'] ) ) {
		/* translators: %s: beginning of an address. */
		footfall_refuse( $kept, 'share', sprintf( __( 'The share link must begin with %s and name one dashboard.', 'footfall' ), $kept['server'] . '/share/' ) );
	}
	if ( '' !== $kept['proxy'] && ! preg_match( '~^(/(?!wp-)[\w-]{1,50}){1,3}$~i', $kept['proxy'] ) ) {
		footfall_refuse( $kept, 'proxy', __( 'The path must begin with a slash and have only letters, digits and hyphens, such as /stats. It must not begin with /wp-.', 'footfall' ) );
	} elseif ( '' !== $kept['proxy'] && ! get_option( 'permalink_structure' ) ) {
		footfall_refuse( $kept, 'proxy', __( 'A path on this site needs permalinks other than “Plain”: choose them under Settings → Permalinks.', 'footfall' ) );
	}
	return $kept;
}

/**
 * Says why a value is refused, and puts the present one back.
 *
 * @param array  $kept The settings to be.
 * @param string $name Of the setting.
 * @param string $why  One sentence.
 */
function footfall_refuse( &$kept, $name, $why ) {
	$kept[ $name ] = footfall_settings()[ $name ];
	if ( ! in_array( $name, wp_list_pluck( get_settings_errors( FOOTFALL_OPTION ), 'code' ), true ) ) {
		add_settings_error( FOOTFALL_OPTION, $name, esc_html( $why ) );
	}
}

add_action(
	'admin_init',
	function () {
		register_setting( FOOTFALL_OPTION, FOOTFALL_OPTION, array( 'sanitize_callback' => 'footfall_check_settings' ) );
		wp_add_privacy_policy_content(
			'Footfall',
			wp_kses_post( '<p>' . __( 'This site counts visits with Footfall, without cookies. Addresses are not stored: a visitor is a hash with a secret for one site and one day, which is destroyed afterwards.', 'footfall' ) . '</p>' )
		);
	}
);

add_action(
	'admin_menu',
	function () {
		add_options_page( 'Footfall', 'Footfall', 'manage_options', FOOTFALL_OPTION, 'footfall_show_settings' );
		if ( '' !== footfall_settings()['share'] ) {
			add_dashboard_page( 'Footfall', 'Footfall', FOOTFALL_VIEWERS, FOOTFALL_NUMBERS, 'footfall_show_numbers' );
		}
	}
);

add_filter(
	'plugin_action_links_' . plugin_basename( __DIR__ . '/footfall.php' ),
	function ( $links ) {
		array_unshift( $links, '<a href="' . esc_url( admin_url( 'options-general.php?page=' . FOOTFALL_OPTION ) ) . '">' . esc_html__( 'Settings', 'footfall' ) . '</a>' );
		return $links;
	}
);

/** Draws the settings. */
function footfall_show_settings() {
	if ( ! current_user_can( 'manage_options' ) ) {
		return;
	}
	$problem = get_transient( 'footfall_problem' );
	echo '<div class="wrap"><h1>Footfall</h1>';
	if ( is_array( $problem ) ) {
		echo '<div class="notice notice-warning inline"><p>' . esc_html( reset( $problem ) ) . '</p></div>';
	}
	footfall_show_check();
	echo '<form method="post" action="options.php"><table class="form-table" role="presentation">';
	settings_fields( FOOTFALL_OPTION );
	foreach ( footfall_fields() as $name => list( $label, $kind, $hint ) ) {
		footfall_show_field( $name, $label, $kind, $hint );
	}
	echo '</table>';
	submit_button();
	echo '</form></div>';
}

/**
 * Draws one row of the settings.
 *
 * @param string $name  Of the setting.
 * @param string $label What it is.
 * @param string $kind  Type of its input, or `roles`.
 * @param string $hint  What it does.
 */
function footfall_show_field( $name, $label, $kind, $hint ) {
	$value = footfall_settings()[ $name ];
	$id    = 'footfall-' . $name;
	$input = FOOTFALL_OPTION . '[' . $name . ']';
	echo '<tr><th scope="row">';
	if ( 'roles' === $kind ) {
		echo esc_html( $label ) . '</th><td><fieldset><legend class="screen-reader-text">' . esc_html( $label ) . '</legend>';
		foreach ( wp_roles()->get_names() as $role => $title ) {
			printf( '<label><input type="checkbox" id="%s" name="%s[]" value="%s"%s> %s</label><br>', esc_attr( $id . '-' . $role ), esc_attr( $input ), esc_attr( $role ), checked( in_array( $role, $value, true ), true, false ), esc_html( translate_user_role( $title ) ) );
		}
		echo '<p class="description">' . esc_html( $hint ) . '</p></fieldset>';
	} elseif ( 'checkbox' === $kind ) {
		echo esc_html( $label ) . '</th><td>';
		printf( '<label for="%1$s"><input type="checkbox" id="%1$s" name="%2$s" value="1"%3$s> %4$s</label>', esc_attr( $id ), esc_attr( $input ), checked( $value, true, false ), esc_html( $hint ) );
	} else {
		$is_secret = 'password' === $kind;
		printf( '<label for="%1$s">%2$s</label></th><td>', esc_attr( $id ), esc_html( $label ) );
		printf(
			'<input type="%s" class="regular-text" id="%s" name="%s" value="%s" placeholder="%s" autocomplete="off" spellcheck="false" aria-describedby="%2$s-hint">',
			esc_attr( $kind ),
			esc_attr( $id ),
			esc_attr( $input ),
			esc_attr( $is_secret ? '' : $value ),
			esc_attr( $is_secret && '' !== $value ? __( 'A key is set', 'footfall' ) : '' )
		);
		printf( '<p class="description" id="%s-hint">%s</p>', esc_attr( $id ), esc_html( $hint ) );
	}
	echo '</td></tr>';
}

/** Draws the button that checks the connection, and what it found. */
function footfall_show_check() {
	if ( '' === footfall_settings()['server'] ) {
		return;
	}
	$page = admin_url( 'options-general.php?page=' . FOOTFALL_OPTION . '&footfall_check=1' );
	if ( isset( $_GET['footfall_check'] ) && check_admin_referer( 'footfall_check' ) ) {
		$findings = footfall_findings();
		printf( '<div class="notice notice-%s inline">', esc_attr( in_array( false, array_column( $findings, 0 ), true ) ? 'error' : 'success' ) );
		foreach ( $findings as list( $is_well, $words ) ) {
			printf( '<p><span class="dashicons dashicons-%s" aria-hidden="true"></span> %s</p>', esc_attr( $is_well ? 'yes' : 'no' ), esc_html( $words ) );
		}
		echo '</div>';
	}
	echo '<p><a class="button" href="' . esc_url( wp_nonce_url( $page, 'footfall_check' ) ) . '">' . esc_html__( 'Check the connection', 'footfall' ) . '</a></p>';
}

/**
 * What works and what does not, from this web server's side.
 *
 * @return array[] Pairs of a claim (true: works) and a sentence.
 */
function footfall_findings() {
	$settings = footfall_settings();
	$health   = footfall_ask( '/healthz' );
	$said     = json_decode( wp_remote_retrieve_body( $health ), true );
	if ( is_wp_error( $health ) ) {
		/* translators: 1: address, 2: reason. */
		return array( array( false, sprintf( __( 'This web server cannot reach %1$s: %2$s', 'footfall' ), $settings['server'], $health->get_error_message() ) ) );
	}
	if ( ! isset( $said['status'] ) || 'ok' !== $said['status'] ) {
		/* translators: 1: address, 2: HTTP status. */
		return array( array( false, sprintf( __( 'Something answers at %1$s (status %2$d), but it is not Footfall.', 'footfall' ), $settings['server'], wp_remote_retrieve_response_code( $health ) ) ) );
	}
	/* translators: 1: version, 2: address. */
	$found = array( array( true, sprintf( __( 'Footfall %1$s answers at %2$s.', 'footfall' ), $said['version'] ?? '', $settings['server'] ) ) );

	$script  = '' === $settings['proxy'] ? footfall_ask( '/foot.js' ) : wp_remote_get( footfall_script(), array( 'timeout' => 5 ) );
	$is_well = footfall_is_script( $script );
	/* translators: %s: address. */
	$found[] = array( $is_well, sprintf( $is_well ? __( 'The script is at %s.', 'footfall' ) : __( 'There is no script at %s. If it is a path on this site, the web server must pass it on to WordPress.', 'footfall' ), footfall_script() ) );

	$start   = wp_remote_get( home_url( '/' ), array( 'timeout' => 5 ) );
	$is_well = false !== strpos( wp_remote_retrieve_body( $start ), 'data-site="' . esc_attr( $settings['domain'] ) . '"' );
	$found[] = array( $is_well, $is_well ? __( 'The start page has the script.', 'footfall' ) : __( 'The start page does not have the script: empty the cache of pages, and see whether the theme calls wp_head().', 'footfall' ) );

	if ( '' !== $settings['key'] ) {
		$site    = footfall_site();
		$found[] = is_wp_error( $site )
			/* translators: %s: reason. */
			? array( false, sprintf( __( 'The API key does not work: %s', 'footfall' ), $site->get_error_message() ) )
			: array( true, __( 'The API key works.', 'footfall' ) );
	}
	if ( '' !== $settings['share'] ) {
		$link    = footfall_ask( substr( $settings['share'], strlen( $settings['server'] ) ) );
		$is_well = footfall_may_frame( (string) wp_remote_retrieve_header( $link, 'content-security-policy' ) );
		/* translators: %s: host. */
		$found[] = array( $is_well, sprintf( $is_well ? __( 'The share link may be shown on %s.', 'footfall' ) : __( 'The share link has ended, or does not allow frames on %s: edit it in Footfall.', 'footfall' ), footfall_host() ) );
	}
	return $found;
}

/**
 * The host of wp-admin, with its port if it has one.
 *
 * @return string
 */
function footfall_host() {
	$port = wp_parse_url( admin_url(), PHP_URL_PORT );
	return wp_parse_url( admin_url(), PHP_URL_HOST ) . ( $port ? ':' . $port : '' );
}

/**
 * Whether a policy allows wp-admin to show its page in a frame.
 *
 * @param string $policy Header Content-Security-Policy.
 * @return bool
 */
function footfall_may_frame( $policy ) {
	preg_match( '/frame-ancestors ([^;]*)/', $policy, $found );
	foreach ( explode( ' ', $found[1] ?? '' ) as $source ) {
		$host = preg_replace( '~^https?://~', '', $source );
		if ( footfall_host() === $host || ( 0 === strpos( $host, '*.' ) && substr( footfall_host(), 1 - strlen( $host ) ) === substr( $host, 1 ) ) ) {
			return true;
		}
	}
	return false;
}

/** Draws the whole dashboard. */
function footfall_show_numbers() {
	$share = footfall_settings()['share'];
	echo '<div class="wrap"><h1 class="wp-heading-inline">Footfall</h1> ';
	footfall_show_link( $share, __( 'Open in a new tab', 'footfall' ) );
	footfall_show_frame( $share . '?theme=light', __( 'Numbers of this site', 'footfall' ), 'calc(100vh - 140px)' );
	echo '</div>';
}

/**
 * Draws a link that leads out of wp-admin.
 *
 * @param string $address Where to.
 * @param string $words   What it says.
 */
function footfall_show_link( $address, $words ) {
	printf( '<a class="button" href="%s" target="_blank" rel="noopener noreferrer">%s</a>', esc_url( $address ), esc_html( $words ) );
}

/**
 * The language of wp-admin's reader as browsers name it: de-CH for de_CH_informal.
 *
 * @return string
 */
function footfall_reader() {
	preg_match( '/^[a-z]+(_[A-Z]{2})?/', determine_locale(), $found );
	return str_replace( '_', '-', $found[0] ?? 'en' );
}

/**
 * Draws a frame of the share link, in the reader's language.
 *
 * @param string $address What it shows.
 * @param string $title   For screen readers.
 * @param string $height  In CSS.
 */
function footfall_show_frame( $address, $title, $height ) {
	printf( '<iframe src="%s" title="%s" style="display:block;width:100%%;height:%s;margin:12px 0;border:0" loading="lazy"></iframe>', esc_url( add_query_arg( 'lang', footfall_reader(), $address ) ), esc_attr( $title ), esc_attr( $height ) );
}

add_action(
	'wp_dashboard_setup',
	function () {
		if ( '' !== footfall_settings()['share'] && current_user_can( FOOTFALL_VIEWERS ) ) {
			wp_add_dashboard_widget( FOOTFALL_OPTION, __( 'Visitors', 'footfall' ), 'footfall_show_widget', null, null, 'side', 'high' );
		}
	}
);

/** Draws the widget: today's visitors and who is there now, both live. */
function footfall_show_widget() {
	$share = footfall_settings()['share'];
	footfall_show_frame( $share . '?piece=figure&period=today&theme=light', __( 'Visitors today', 'footfall' ), '181px' );
	footfall_show_frame( $share . '?piece=live&theme=light', __( 'Visitors now', 'footfall' ), '181px' );
	echo '<p><a class="button" href="' . esc_url( admin_url( 'index.php?page=' . FOOTFALL_NUMBERS ) ) . '">' . esc_html__( 'All numbers', 'footfall' ) . '</a> ';
	footfall_show_link( $share . '/live', __( 'Live view', 'footfall' ) );
	echo '</p>';
}
