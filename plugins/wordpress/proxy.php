<?php
/**
 * Passes the script and its events on from a path of this site, before WordPress loads its theme or looks for a page.
 *
 * @package Footfall
 */

defined( 'ABSPATH' ) || exit;

/** Events are smaller. */
const FOOTFALL_MAX_BODY = 32 * KB_IN_BYTES;

add_action(
	'plugins_loaded',
	function () {
		$settings = footfall_settings();
		if ( '' === $settings['proxy'] || '' === $settings['server'] || ! isset( $_SERVER['REQUEST_URI'] ) ) {
			return;
		}
		// phpcs:disable WordPress.Security.ValidatedSanitizedInput -- only compared.
		$asked  = explode( '?', wp_unslash( $_SERVER['REQUEST_URI'] ), 2 );
		$method = $_SERVER['REQUEST_METHOD'] ?? 'GET';
		// phpcs:enable
		$folder = wp_parse_url( home_url( $settings['proxy'] ), PHP_URL_PATH );
		if ( $folder . '/foot.js' === $asked[0] ) {
			$query = $asked[1] ?? '';
			footfall_pass_script( in_array( $query, array( 'opt-out', 'vitals' ), true ) ? '?' . $query : '' );
		} elseif ( $folder . '/foot' === $asked[0] ) {
			if ( 'POST' === $method ) {
				footfall_pass_event();
			}
			footfall_end( 405, '', array( 'Allow' => 'POST' ) );
		}
	}
);

/**
 * Ends the request with this answer, which no cache of pages keeps.
 *
 * @param int      $status  HTTP status.
 * @param string   $body    What is sent: the script of the server, or nothing.
 * @param string[] $headers Headers by their names.
 */
function footfall_end( $status, $body, $headers ) {
	if ( ! defined( 'DONOTCACHEPAGE' ) ) {
		define( 'DONOTCACHEPAGE', true );
	}
	status_header( $status );
	header_remove( 'Set-Cookie' );
	foreach ( $headers + array( 'Cache-Control' => 'no-store', 'Content-Type' => 'text/plain', 'X-Content-Type-Options' => 'nosniff' ) as $name => $value ) {
		header( $name . ': ' . $value );
	}
	echo $body; // phpcs:ignore WordPress.Security.EscapeOutput.OutputNotEscaped -- JavaScript of the server that the owner has named.
	exit;
}

/**
 * Asks the server, but not for ten seconds after it failed to answer: many visitors would else wait for it at once.
 *
 * @param string $path    Path and query.
 * @param array  $request As `wp_remote_request` takes it.
 * @return array|WP_Error
 */
function footfall_try( $path, $request = array() ) {
	if ( get_transient( 'footfall_away' ) ) {
		return new WP_Error( 'away' );
	}
	$answer = footfall_ask( $path, $request );
	if ( is_wp_error( $answer ) ) {
		set_transient( 'footfall_away', 1, 10 );
	}
	return $answer;
}

/**
 * Sends the script, which is fetched once an hour. While the server is away, the last one is sent for a day.
 *
 * @param string $query '', `?opt-out` or `?vitals`.
 */
function footfall_pass_script( $query ) {
	$name = 'footfall_script_' . md5( footfall_settings()['server'] . $query );
	$kept = get_transient( $name );
	if ( ! is_array( $kept ) || $kept['at'] < time() - HOUR_IN_SECONDS ) {
		$answer = footfall_try( '/foot.js' . $query );
		if ( footfall_is_script( $answer ) ) {
			$kept = array(
				'at'   => time(),
				'body' => wp_remote_retrieve_body( $answer ),
			);
			set_transient( $name, $kept, DAY_IN_SECONDS );
		}
	}
	if ( ! is_array( $kept ) ) {
		footfall_end( 503, '', array( 'Retry-After' => '10' ) );
	}
	footfall_end(
		200,
		$kept['body'],
		array(
			'Content-Type'  => 'text/javascript; charset=utf-8',
			'Cache-Control' => 'public, max-age=3600',
		)
	);
}

/** Passes an event on, with what the browser says about itself, its address, and no cookie. */
function footfall_pass_event() {
	$body = file_get_contents( 'php://input', false, null, 0, FOOTFALL_MAX_BODY + 1 ); // phpcs:ignore WordPress.WP.AlternativeFunctions
	if ( strlen( (string) $body ) > FOOTFALL_MAX_BODY ) {
		footfall_end( 413, '', array() );
	}
	$settings = footfall_settings();
	$headers  = array(
		'x-forwarded-for'   => footfall_visitor( $settings['behind'] ),
		'x-forwarded-proto' => (string) wp_parse_url( $settings['server'], PHP_URL_SCHEME ), // of this hop, which alone can be read underway
	);
	// phpcs:disable WordPress.Security.ValidatedSanitizedInput -- passed on as they are.
	foreach ( $_SERVER as $name => $value ) {
		if ( preg_match( '/^HTTP_(USER_AGENT|ACCEPT_LANGUAGE|DNT|REFERER|SEC_\w+)$|^(CONTENT_TYPE)$/', $name, $found ) && is_string( $value ) ) {
			$headers[ strtolower( str_replace( '_', '-', end( $found ) ) ) ] = wp_unslash( $value );
		}
	}
	// phpcs:enable
	$answer = footfall_try(
		'/foot',
		array(
			'method'     => 'POST',
			'body'       => $body,
			'headers'    => $headers,
			'user-agent' => $headers['user-agent'] ?? '',
		)
	);
	$status = (int) wp_remote_retrieve_response_code( $answer );
	footfall_end( $status ? $status : 503, '', $status ? array() : array( 'Retry-After' => '10' ) ); // the script then tries again
}

/**
 * The address of the visitor: the connection's, or the one that the site's own proxy has put last.
 *
 * @param bool $behind Whether there is such a proxy. Without one, the header is what the visitor likes it to be.
 * @return string
 */
function footfall_visitor( $behind ) {
	$said    = sanitize_text_field( wp_unslash( $_SERVER['HTTP_X_FORWARDED_FOR'] ?? '' ) );
	$address = trim( substr( (string) strrchr( ',' . $said, ',' ), 1 ) );
	return $behind && filter_var( $address, FILTER_VALIDATE_IP ) ? $address : sanitize_text_field( wp_unslash( $_SERVER['REMOTE_ADDR'] ?? '' ) );
}
