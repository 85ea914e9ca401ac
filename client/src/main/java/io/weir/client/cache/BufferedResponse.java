package io.weir.client.cache;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse.ResponseInfo;
import java.util.Map;
import java.util.TreeMap;

/**
 * A complete response with its body in memory, to share between callers. The body must not be
 * modified.
 *
 * @param uri the address that responded, after redirects
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record BufferedResponse(
    int statusCode, HttpHeaders headers, HttpClient.Version version, URI uri, byte[] body)
    implements ResponseInfo {

  /** The approximate memory use in bytes. */
  long size() {
    return 512L + body.length + 4L * uri.toString().length() + size(headers.map());
  }

  static long size(Map<String, java.util.List<String>> headers) {
    long size = 0;
    for (var header : headers.entrySet()) {
      size += 64 + 2L * header.getKey().length();
      size += header.getValue().stream().mapToLong(value -> 48 + 2L * value.length()).sum();
    }
    return size;
  }

  BufferedResponse withHeaders(Map<String, java.util.List<String>> changed) {
    Map<String, java.util.List<String>> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    all.putAll(headers.map());
    all.putAll(changed);
    return new BufferedResponse(
        statusCode, HttpHeaders.of(all, (name, value) -> true), version, uri, body);
  }
}
