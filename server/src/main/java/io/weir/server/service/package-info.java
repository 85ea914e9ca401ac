/**
 * The HTTP interface of the service port: checks, questions of proxies, costs known afterwards.
 *
 * <p>Calls http and the decision path. Is called by whoever starts the server.
 */
@NullMarked
package io.weir.server.service;

import org.jspecify.annotations.NullMarked;
