package io.weir.bench.filter.app;

import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * A Bucket4j bucket for each API key, in an unbounded map. Sends the headers that tutorials show,
 * or all that Weir sends.
 */
final class BucketFilter extends OncePerRequestFilter {
  private static final long BURST = 1_000_000;

  private final Map<String, Bucket> buckets = new ConcurrentHashMap<>();
  private final boolean sendsAllHeaders;

  BucketFilter(boolean sendsAllHeaders) {
    this.sendsAllHeaders = sendsAllHeaders;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    String key = request.getHeader("X-API-Key");
    if (key == null) {
      chain.doFilter(request, response);
      return;
    }
    ConsumptionProbe probe =
        buckets.computeIfAbsent(key, any -> bucket()).tryConsumeAndReturnRemaining(1);
    response.setHeader("X-RateLimit-Limit", Long.toString(BURST));
    response.setHeader("X-RateLimit-Remaining", Long.toString(probe.getRemainingTokens()));
    if (sendsAllHeaders) {
      addHeaders(probe, response);
    }
    if (probe.isConsumed()) {
      chain.doFilter(request, response);
    } else {
      long wait = 1 + TimeUnit.NANOSECONDS.toSeconds(probe.getNanosToWaitForRefill());
      response.setHeader("Retry-After", Long.toString(wait));
      response.setStatus(429);
      response.setContentType("application/json");
      response.getWriter().write("{\"error\":\"rate_limit_exceeded\"}");
    }
  }

  private static void addHeaders(ConsumptionProbe probe, HttpServletResponse response) {
    long nanosToFull = probe.getNanosToWaitForReset();
    long full = System.currentTimeMillis() + TimeUnit.NANOSECONDS.toMillis(nanosToFull + 999_999);
    response.setHeader("X-RateLimit-Reset", Long.toString((full + 999) / 1000));
    response.setHeader("RateLimit-Policy", "\"client\";q=" + BURST + ";w=1");
    String rateLimit = "\"client\";r=" + probe.getRemainingTokens();
    response.setHeader("RateLimit", nanosToFull == 0 ? rateLimit : rateLimit + ";t=1");
  }

  private static Bucket bucket() {
    return Bucket.builder()
        .addLimit(
            Bandwidth.builder().capacity(BURST).refillGreedy(BURST, Duration.ofSeconds(1)).build())
        .build();
  }
}
