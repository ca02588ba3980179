<?php
/**
 * Plugin Name: Footfall
 * Description: Cookie-free visitor statistics of your own Footfall server: pages, searches, orders of WooCommerce, and the numbers in the dashboard.
 * Version: 0.0.0
 * Requires at least: 5.9
 * Requires PHP: 7.4
 * License: MIT
 * License URI: https://opensource.org/license/mit
 * Text Domain: footfall
 * Domain Path: /languages
 *
 * The settings, which all other files read, and what is counted on a page.
 *
 * @package Footfall
 */

defined( 'ABSPATH' ) || exit;

/** The only option. */
const FOOTFALL_OPTION = 'footfall';

/**
 * All settings, and what they are before anybody has saved them.
 *
 * @return array{server:string,domain:string,excluded:string[],not_found:bool,search:bool,orders:bool,key:string,share:string,proxy:string,behind:bool}
 */
function footfall_settings() {
	$saved = get_option( FOOTFALL_OPTION, array() );
	return array_merge(
		array(
			'server'    => '',
			'domain'    => preg_replace( '/^www\./', '', (string) wp_parse_url( home_url(), PHP_URL_HOST ) ),
			'excluded'  => array( 'administrator', 'editor', 'author', 'contributor' ),
			'not_found' => true,
			'search'    => false,
			'orders'    => false,
			'key'       => '',
			'share'     => '',
			'proxy'     => '',
			'behind'    => false,
		),
		is_array( $saved ) ? $saved : array()
	);
}

/**
 * The address of the script: of the server, or of the path of this site that passes it on.
 *
 * @return string
 */
function footfall_script() {
	$settings = footfall_settings();
	return ( '' === $settings['proxy'] ? $settings['server'] : home_url( $settings['proxy'] ) ) . '/foot.js';
}

/**
 * A request to the server: without cookies, and never long. Only the owner of a network may name private addresses.
 *
 * @param string $path    Path and query.
 * @param array  $request What differs from a GET, as `wp_remote_request` takes it.
 * @return array|WP_Error
 */
function footfall_ask( $path, $request = array() ) {
	$usual = array(
		'timeout'             => 3,
		'redirection'         => 0,
		'limit_response_size' => MB_IN_BYTES,
		'reject_unsafe_urls'  => is_multisite(),
	);
	return wp_remote_request( footfall_settings()['server'] . $path, array_merge( $usual, $request ) );
}

/**
 * Whether an answer is the script, and not the page of somebody else's server.
 *
 * @param array|WP_Error $answer Of a request for it.
 * @return bool
 */
function footfall_is_script( $answer ) {
	return 200 === wp_remote_retrieve_response_code( $answer ) && 0 === strpos( (string) wp_remote_retrieve_header( $answer, 'content-type' ), 'text/javascript' );
}

/**
 * Whether the person who asks for this page is counted. Page caches serve nobody else's page to somebody who is logged in, and must not keep theirs.
 *
 * @return bool
 */
function footfall_counts() {
	$settings = footfall_settings();
	$roles    = is_multisite() && is_super_admin() ? array( 'administrator' ) : wp_get_current_user()->roles;
	$is_left  = array_intersect( $roles, $settings['excluded'] );
	if ( $is_left && ! defined( 'DONOTCACHEPAGE' ) ) {
		define( 'DONOTCACHEPAGE', true );
	}
	return '' !== $settings['server'] && ! $is_left && ! is_preview() && ! is_customize_preview();
}

/**
 * What this page sends besides the page view, as arguments of `footfall( name, details )`.
 *
 * @return array[]
 */
function footfall_events() {
	$events = footfall_settings()['orders'] ? footfall_shop_events() : array();
	$term   = trim( wp_strip_all_tags( get_search_query( false ) ) );
	// People also search for themselves: what looks like an address or a number of theirs is not sent.
	if ( footfall_settings()['search'] && is_search() && ! is_paged() && '' !== $term && ! preg_match( '/@|(\d\W*){6}/', $term ) ) {
		$props    = array(
			'term'    => mb_substr( $term, 0, 100 ),
			'results' => (int) $GLOBALS['wp_query']->found_posts,
		);
		$events[] = array( 'search', array( 'props' => $props ) );
	}
	return $events;
}

add_action(
	'wp_enqueue_scripts',
	function () {
		if ( ! footfall_counts() ) {
			return;
		}
		// The server decides how long its script is kept, so its address has no version.
		wp_enqueue_script( 'footfall', footfall_script(), array(), null, false ); // phpcs:ignore WordPress.WP.EnqueuedResourceParameters.MissingVersion
		$events = footfall_events();
		if ( $events ) {
			wp_enqueue_script( 'footfall-events', plugins_url( 'events.js', __FILE__ ), array( 'footfall' ), '0.0.0', false );
			wp_script_add_data( 'footfall', 'footfall_events', $events );
		}
	}
);

// The attributes of the script, in a filter after those of others, which may have renamed `src` to load it later. An element without inline code
// fits a strict content security policy.
add_filter(
	'script_loader_tag',
	function ( $tag, $handle ) {
		if ( 'footfall' !== $handle && 'footfall-events' !== $handle ) {
			return $tag;
		}
		$settings   = footfall_settings();
		$attributes = 'defer';
		if ( 'footfall' === $handle ) {
			$attributes = 'async data-site="' . esc_attr( $settings['domain'] ) . '"';
			if ( preg_match( '/(^|\.)local(host)?$|^[\d.]+$/', $settings['domain'] ) ) {
				$attributes .= ' data-dev';
			}
			if ( $settings['not_found'] && is_404() ) {
				$attributes .= ' data-404';
			}
			$events = wp_json_encode( wp_scripts()->get_data( $handle, 'footfall_events' ) );
			if ( $events && 'false' !== $events ) {
				$attributes .= ' data-events="' . esc_attr( $events ) . '"';
			}
		}
		return preg_replace_callback(
			'/<script\b(?=[^>]*\bsrc=)/i',
			function () use ( $attributes ) {
				return '<script ' . $attributes;
			},
			(string) $tag,
			1
		);
	},
	100,
	2
);

add_action(
	'init',
	function () {
		load_plugin_textdomain( 'footfall', false, dirname( plugin_basename( __FILE__ ) ) . '/languages' );
	}
);

// A language has one file for all its regions: de_AT reads footfall-de.mo. Traditional Chinese is another language to its readers.
add_filter(
	'load_textdomain_mofile',
	function ( $file, $domain ) {
		if ( 'footfall' !== $domain || is_readable( $file ) || ! preg_match( '~/footfall-(?!zh_(?:TW|HK|MO))([a-z]+)[^/]*\.mo$~', $file, $found ) ) {
			return $file;
		}
		return __DIR__ . '/languages/footfall-' . $found[1] . '.mo';
	},
	10,
	2
);

require_once __DIR__ . '/shop.php';
require_once __DIR__ . '/proxy.php';
if ( is_admin() ) {
	require_once __DIR__ . '/admin.php';
}
