package io.weir.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Attributes;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.weir.rules.http.TrustedProxies;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which events the application receives of a call that started late, without a server. */
class DelayedListenerTest {
  private final List<String> events = new ArrayList<>();

  /** A call over nothing, from nowhere. */
  private final class Call extends ServerCall<String, String> {
    @Override
    public void request(int messages) {}

    @Override
    public void sendHeaders(Metadata headers) {}

    @Override
    public void sendMessage(String message) {}

    @Override
    public void close(Status status, Metadata trailers) {
      events.add("closed " + status.getCode());
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public Attributes getAttributes() {
      return Attributes.EMPTY;
    }

    @Override
    public MethodDescriptor<String, String> getMethodDescriptor() {
      return EchoServer.SAY;
    }
  }

  private final class Throwing extends ServerCall.Listener<String> {
    @Override
    public void onMessage(String message) {
      events.add(message);
      throw new IllegalStateException("thrown on purpose");
    }

    @Override
    public void onCancel() {
      events.add("cancelled");
    }
  }

  @Test
  void listenerThatThrewStillReceivesTheEnd() {
    DelayedListener<String> later = new DelayedListener<>(new Call());
    later.begin(Throwing::new);
    assertThatThrownBy(() -> later.onMessage("one")).hasMessage("thrown on purpose");
    later.onCancel();
    assertThat(events).containsExactly("one", "cancelled");
  }

  @Test
  void aListenerThatThrewOnAQueuedEventReceivesTheEnd() {
    DelayedListener<String> later = new DelayedListener<>(new Call());
    later.onMessage("one");
    assertThatThrownBy(() -> later.begin(Throwing::new)).hasMessage("thrown on purpose");
    later.onCancel();
    assertThat(events).containsExactly("one", "closed UNKNOWN", "cancelled");
  }

  @Test
  void callStartsOnce() {
    DelayedListener<String> later = new DelayedListener<>(new Call());
    later.begin(
        () -> {
          events.add("begun");
          return new Throwing();
        });
    later.begin(
        () -> {
          events.add("begun again");
          return new Throwing();
        });
    assertThat(events).containsExactly("begun");
  }

  @Test
  void callsWithoutPeerAddressShareABucket() {
    GrpcRequestReader reader = new GrpcRequestReader(new TrustedProxies(List.of()), Map.of());
    assertThat(reader.read(new Call(), new Metadata()).attribute("ip")).isEqualTo("0.0.0.0");
  }
}
