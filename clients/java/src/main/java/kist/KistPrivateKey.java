package kist;

import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.interfaces.ECKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECParameterSpec;

/** A key in the daemon, for {@link KistProvider}: it has no bytes. */
abstract class KistPrivateKey implements PrivateKey {
  private static final long serialVersionUID = 1;
  final transient Client client;
  final transient KeyId id;
  private final transient PublicKey publicKey;

  private KistPrivateKey(Client client, KeyId id, PublicKey publicKey) {
    this.client = client;
    this.id = id;
    this.publicKey = publicKey;
  }

  static KistPrivateKey of(Client client, KeyId id, PublicKey publicKey) {
    if (publicKey instanceof ECPublicKey key) return new EC(client, id, key);
    if (publicKey instanceof RSAPublicKey key) return new RSA(client, id, key);
    return new Other(client, id, publicKey);
  }

  @Override
  public String getAlgorithm() {
    return publicKey.getAlgorithm();
  }

  @Override
  public String getFormat() {
    return null;
  }

  @Override
  public byte[] getEncoded() {
    return null;
  }

  /** TLS asks for a key's curve or size. */
  private static final class EC extends KistPrivateKey implements ECKey {
    private static final long serialVersionUID = 1;
    private final transient ECParameterSpec parameters;

    EC(Client client, KeyId id, ECPublicKey publicKey) {
      super(client, id, publicKey);
      parameters = publicKey.getParams();
    }

    @Override
    public ECParameterSpec getParams() {
      return parameters;
    }
  }

  private static final class RSA extends KistPrivateKey implements RSAKey {
    private static final long serialVersionUID = 1;
    private final transient java.math.BigInteger modulus;

    RSA(Client client, KeyId id, RSAPublicKey publicKey) {
      super(client, id, publicKey);
      modulus = publicKey.getModulus();
    }

    @Override
    public java.math.BigInteger getModulus() {
      return modulus;
    }
  }

  private static final class Other extends KistPrivateKey {
    private static final long serialVersionUID = 1;

    Other(Client client, KeyId id, PublicKey publicKey) {
      super(client, id, publicKey);
    }
  }
}
