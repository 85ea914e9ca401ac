package io.weir.server.service;

import io.weir.rules.http.RequestTarget;
import java.util.HashMap;
import java.util.Map;

/**
 * Normalizes the paths that callers send in the same way as the gateway normalizes those of its own
 * requests, so that one request has one bucket whichever front end it arrives at.
 *
 * @param encodedSlashes whether {@code %2F} is allowed in a path, as part of a name
 */
record PathNormalizer(boolean encodedSlashes) {
  /** A target in which rules see such slashes as part of names. */
  String target(String raw) {
    if (!encodedSlashes || raw.indexOf('%') < 0 || raw.charAt(0) != '/') {
      return raw;
    }
    String target = RequestTarget.of(raw, true);
    int query = target.indexOf('?');
    return query < 0
        ? RequestTarget.path(target)
        : RequestTarget.path(target) + target.substring(query);
  }

  /** The request with a normalized path. */
  CheckRequest normalize(CheckRequest checkRequest) {
    String path = encodedSlashes ? checkRequest.attribute("path") : null;
    if (path == null || path.indexOf('%') < 0) {
      return checkRequest;
    }
    Map<String, String> attributes = new HashMap<>(checkRequest.attributes());
    attributes.put("path", target(path));
    return new CheckRequest(attributes, checkRequest.cost());
  }
}
