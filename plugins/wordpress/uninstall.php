<?php
/**
 * Leaves nothing behind, on any site of a network.
 *
 * @package Footfall
 */

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

$footfall_forget = function () {
	global $wpdb;
	delete_option( 'footfall' );
	// Their names are not known, and a cache in memory forgets them by itself.
	$wpdb->query( "DELETE FROM $wpdb->options WHERE option_name REGEXP '^_transient_(timeout_)?footfall_'" ); // phpcs:ignore WordPress.DB.DirectDatabaseQuery
	if ( function_exists( 'as_unschedule_all_actions' ) ) {
		as_unschedule_all_actions( 'footfall_report' );
	}
};

if ( is_multisite() ) {
	$footfall_sites = get_sites(
		array(
			'fields' => 'ids',
			'number' => 0,
		)
	);
	foreach ( $footfall_sites as $footfall_site ) {
		switch_to_blog( $footfall_site );
		$footfall_forget();
		restore_current_blog();
	}
} else {
	$footfall_forget();
}
